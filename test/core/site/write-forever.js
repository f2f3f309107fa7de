import { writeSite } from "../../../src/core/site/write.ts";
import { trees } from "./sites.ts";

// node write-forever.js OUT: writes different sites in turn until it is killed.
const out = process.argv[2];
const sites = trees.map((tree) => Object.entries(tree).map(([path, content]) => ({ path, content })));

for (let turn = 0; ; turn += 1) writeSite(out, sites[turn % sites.length]);
