// Imported before the program: writes its peak of memory, in KiB, when it ends.
process.on("exit", () => {
  process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`);
});
