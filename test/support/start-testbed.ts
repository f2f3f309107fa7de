import { env } from "node:process";
import { type Testbed, startTestbed as start } from "../../src/features/demo/testbed.ts";
import { closeAfterFile } from "./close-after-test.ts";

export type { Testbed };

/** Starts a testbed until all tests in the file are done. */
export async function startTestbed(): Promise<Testbed> {
  return closeAfterFile(await start({ environment: env, interrupt: new AbortController().signal }));
}
