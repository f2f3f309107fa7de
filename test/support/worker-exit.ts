import process from "node:process";

// Vitest stops workers with this signal. Without a listener, Node.js skips its exit handlers.
process.once("SIGTERM", () => {
  process.exit();
});
