import { env } from "node:process";
import { type Testbed, startTestbed as start } from "../../src/testbed/testbed.ts";

export type { Testbed };

/** Starts a testbed that only `close` ends. */
export function startTestbed(): Promise<Testbed> {
  return start({ environment: env, interrupt: new AbortController().signal });
}
