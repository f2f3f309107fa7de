import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";

// Usage: node --import die-at-step.js PROGRAM …
// The program changes the disk in numbered steps, and sends itself DIE_SIGNAL just before step DIE_STEP. If DIE_STEP is
// 0, the program runs to its end and prints how many steps it made.
const step = Number(process.env["DIE_STEP"]);
const signal = process.env["DIE_SIGNAL"] ?? "SIGKILL";
const names = ["mkdir", "open", "rename", "rm", "rmdir", "unlink", "writeFile"];
let steps = 0;

function count(perform) {
  return function (...parameters) {
    steps += 1;
    if (steps === step) process.kill(process.pid, signal);
    return perform.apply(this, parameters);
  };
}

for (const name of names) {
  fs[`${name}Sync`] = count(fs[`${name}Sync`]);
  fs.promises[name] = count(fs.promises[name]);
}
syncBuiltinESMExports();
process.on("exit", () => {
  if (step === 0) fs.writeSync(2, `steps: ${steps}\n`);
});
