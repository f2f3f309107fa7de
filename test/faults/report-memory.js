// Preloaded into the program: prints its peak memory in KiB on exit.
process.on("exit", () => {
  process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`);
});
