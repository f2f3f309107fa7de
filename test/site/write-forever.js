import { writeSync } from "node:fs";
import { errorCode } from "../../src/base/errors.ts";
import { writeSite } from "../../src/site/write.ts";
import { sites } from "./sites.ts";

// node write-forever.js OUT NAME: writes the sites of that name in turn until it is killed.
const [out, name] = process.argv.slice(2);
const files = sites[name].map((site) => Object.entries(site).map(([path, content]) => ({ path, content })));
const isAlive = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
};

writeSync(1, "ready\n");
for (let turn = 0; ; turn += 1) {
  writeSite(out, files[turn % files.length], { own: process.pid, isAlive });
}
