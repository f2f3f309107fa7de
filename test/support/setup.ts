import { env } from "node:process";
import fc from "fast-check";
import { afterAll } from "vitest";
import { closeAfterwards } from "./close-after-test.ts";
import { removeTemporaryFolders } from "./temporary-folder.ts";
import { isLong, seed, trials } from "./trials.ts";

// A commit always runs the same trials, except in the long tier or with MIRRORFEED_SEED.
const isElsewhere = isLong && env["MIRRORFEED_SEED"] === undefined;
fc.configureGlobal({ numRuns: trials(100), ...(isElsewhere ? {} : { seed }) });

// Otherwise each Node.js process spends 35 ms parsing all authorities. No test leaves this machine.
delete env["NODE_EXTRA_CA_CERTS"];

afterAll(async () => {
  await closeAfterwards();
  removeTemporaryFolders();
});
