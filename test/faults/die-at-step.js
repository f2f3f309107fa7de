import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";

// node --import die-at-step.js PROGRAM …: sends itself DIE_SIGNAL before its change number DIE_STEP of the disk, or
// prints the number of changes if DIE_STEP is 0.
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
