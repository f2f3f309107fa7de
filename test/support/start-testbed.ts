import { env } from "node:process";
import { type Testbed, type TestbedOptions, startTestbed as start } from "../../src/testbed/testbed.ts";

export type { Testbed };

/** Starts a testbed that only `close` ends. */
export function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
  return start({ environment: env, interrupt: new AbortController().signal }, options);
}
