import { writeSync } from "node:fs";
import { errorCode } from "../../../src/core/base/errors.ts";
import { openStore } from "../../../src/core/state/branch-store.ts";

// node save-lines.js FILE NAME COUNT: adds its own lines to a file, saving after each.
// node save-lines.js FILE: stores one large text after another, and prints each text's number once it is stored.
const [file, name, count] = process.argv.slice(2);
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

writeSync(1, "ready\n");
for (let turn = 1; turn <= (count ?? Infinity); turn += 1) {
  let number = 0;
  await store.save((bytes = "") => {
    const current = String(bytes);
    if (name !== undefined) return Buffer.from(`${current}${name} ${turn}\n`);
    number = Number.parseInt(current, 10) + 1 || 1;
    return Buffer.from(`${number}\n`.repeat(200_000));
  });
  if (name === undefined) writeSync(1, `${number}\n`);
}
