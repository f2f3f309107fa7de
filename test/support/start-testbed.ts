import { env } from "node:process";
import { type Testbed, type TestbedOptions, startTestbed as start } from "../../src/testbed/testbed.ts";

export type { Testbed };

/** A laboratory that is ended by nobody but `close`. */
export function startTestbed(options: TestbedOptions = {}): Promise<Testbed> {
  return start({ environment: env, interrupt: new AbortController().signal }, options);
}
