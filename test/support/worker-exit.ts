import process from "node:process";

// Vitest ends a worker by this signal. Without a listener, Node.js does not run what waits for the exit.
process.once("SIGTERM", () => {
  process.exit();
});
