import { errorCode } from "../../../src/core/base/errors.ts";
import { openStore } from "../../../src/core/state/branch-store.ts";

// node save-lines.js FILE NAME: adds ten lines to a file, saving after each.
const [file, name] = process.argv.slice(2);
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
};
const store = openStore(file, {
  folder: ".",
  environment: process.env,
  interrupt: new AbortController().signal,
  random: Math.random,
  processes: { pid: process.pid, isAlive },
});

for (let turn = 1; turn <= 10; turn += 1)
  await store.save((current = "") => Buffer.from(`${String(current)}${name} ${turn}\n`));
