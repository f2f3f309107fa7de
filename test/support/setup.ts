import { env } from "node:process";
import fc from "fast-check";
import { afterAll } from "vitest";
import { closeAfterwards } from "./close-after-test.ts";
import { removeTemporaryFolders } from "./temporary-folder.ts";
import { isLong, seed, trials } from "./trials.ts";

// The same commit runs the same trials each time. The long tier, and MIRRORFEED_SEED, use other seeds.
const isElsewhere = isLong && env["MIRRORFEED_SEED"] === undefined;
fc.configureGlobal({ numRuns: trials(100), ...(isElsewhere ? {} : { seed }) });

// Each Node.js that a test starts would parse all authorities for 35 ms. No test leaves this machine.
delete env["NODE_EXTRA_CA_CERTS"];

afterAll(async () => {
  await closeAfterwards();
  removeTemporaryFolders();
});
