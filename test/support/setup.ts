import { env } from "node:process";
import fc from "fast-check";
import { afterAll } from "vitest";
import { closeAfterwards } from "./close-after-test.ts";
import { removeTemporaryFolders } from "./temporary-folder.ts";
import { isLong, seed, trials } from "./trials.ts";

// A fixed seed gives every test run the same trials. Only the long tests draw a new seed each time, unless MIRRORFEED_SEED is
// set.
const hasRandomSeed = isLong && env["MIRRORFEED_SEED"] === undefined;
fc.configureGlobal({ numRuns: trials(100), ...(hasRandomSeed ? {} : { seed }) });

// With this variable, each Node.js process spends 35 ms parsing certificate authorities. Tests don't need them, because no
// request leaves this machine.
delete env["NODE_EXTRA_CA_CERTS"];

afterAll(async () => {
  await closeAfterwards();
  removeTemporaryFolders();
});
