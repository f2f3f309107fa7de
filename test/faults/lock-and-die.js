import { closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../../src/core/base/errors.ts";
import { takeLock } from "../../src/core/base/files/lock.ts";

// Usage: node lock-and-die.js FILE CHANCE
// Takes the lock FILE three times, and dies while holding it the third time. CHANCE, from 0 to 1, sets how long the process
// holds the lock. FILE.held names the holder. With "survive" instead of CHANCE, takes the lock once and releases it.
const [file, chance] = process.argv.slice(2);
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
};
const processes = { pid: process.pid, isAlive };
const interrupt = new AbortController().signal;
const held = `${file}.held`;

for (let times = chance === "survive" ? 0 : 2; ; times -= 1) {
  const lock = await takeLock(file, { processes, interrupt });
  if (existsSync(held)) {
    const other = Number(readFileSync(held, "utf8"));
    if (other === 0 || isAlive(other)) throw new Error(`${other} holds the lock too.`);
    rmSync(held);
  }
  const descriptor = openSync(held, "wx");
  writeSync(descriptor, String(process.pid));
  closeSync(descriptor);
  await sleep(Number(chance) * 4 || 1);
  if (!lock.isHeld()) throw new Error("The lock was lost.");
  if (times === 0 && chance !== "survive") process.kill(process.pid, "SIGKILL");
  rmSync(held);
  lock.release();
  if (chance === "survive") break;
}
