import { env } from "node:process";
import fc from "fast-check";
import { afterAll } from "vitest";
import { removeTemporaryFolders } from "./temporary-folder.ts";
import { isLong, seed, trials } from "./trials.ts";

// The same commit runs the same trials each time. The long tier, and MIRRORFEED_SEED, use other seeds.
const isElsewhere = isLong && env["MIRRORFEED_SEED"] === undefined;
fc.configureGlobal({ numRuns: trials(100), ...(isElsewhere ? {} : { seed }) });

afterAll(removeTemporaryFolders);
