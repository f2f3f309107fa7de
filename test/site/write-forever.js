import { readFileSync, writeSync } from "node:fs";
import { errorCode } from "../../src/errors.ts";
import { writeSite } from "../../src/site/write.ts";

// node write-forever.js OUT TREES: writes the trees of the JSON file in turn until it is killed.
const [out, trees] = process.argv.slice(2);
const sites = JSON.parse(readFileSync(trees, "utf8"));
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
};

writeSync(1, "ready\n");
for (let turn = 0; ; turn += 1) {
  writeSite(out, sites[turn % sites.length], { own: process.pid, isAlive });
}
