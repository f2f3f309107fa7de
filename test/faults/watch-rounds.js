import { existsSync, readdirSync, writeSync } from "node:fs";
import process from "node:process";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { watch } from "../../src/app/commands/watch-command.ts";

// Usage: node --expose-gc watch-rounds.js CONFIG FOLDER ROUNDS EVERY_MS SAMPLES
// Runs `watch` with a clock that skips waits. Prints SAMPLES samples of heap size and open descriptors, as JSON lines.
const [config, folder, ...numbers] = process.argv.slice(2);
const [rounds, everyMs, samples] = numbers.map(Number);
const descriptors = "/proc/self/fd";
let leaps = 0;
let round = 0;
let logged = 0;

const setting = {
  interrupt: new AbortController().signal,
  now: () => performance.timeOrigin + performance.now() + leaps,
  random: Math.random,
  processes: { pid: process.pid, isAlive: () => true },
  environment: {},
  output: () => undefined,
  log: () => (logged += 1),
  color: false,
  progress: () => ({ step: () => undefined, stop: () => undefined }),
};

async function leap(ms) {
  leaps += ms;
  round += 1;
  // Closed handles disappear only after a turn or two of the event loop.
  for (let turn = 0; turn < 3; turn += 1) await turnOfTheLoop();
  if (round % Math.ceil(rounds / samples) === 0 || round === rounds) {
    globalThis.gc();
    globalThis.gc();
    const open = existsSync(descriptors) ? readdirSync(descriptors).length : 0;
    const { heapUsed, rss } = process.memoryUsage();
    writeSync(1, `${JSON.stringify({ round, heap: heapUsed, rss, descriptors: open, logged })}\n`);
  }
  return round < rounds;
}

process.exitCode = await watch(
  { config, out: `${folder}/_site`, state: `${folder}/state.json`, everyMs },
  setting,
  leap,
);
