import { env } from "node:process";
import { startTestbed as start } from "../../src/features/demo/testbed.ts";
import type { Behaviour } from "../../src/features/demo/mirror-server.ts";
import { closeAfterFile } from "./close-after-test.ts";
import { type ServerOptions, startProvider, startServer } from "./mirror-server.ts";

export type Testbed = Awaited<ReturnType<typeof startTestbed>>;

/** Starts a testbed whose servers count their requests. It runs until all tests in the file are done. */
export async function startTestbed() {
  const testbed = await start({ environment: env, interrupt: new AbortController().signal });
  return {
    ...closeAfterFile(testbed),
    startProvider: async (options?: ServerOptions) => closeAfterFile(await startProvider(options)),
    startServer: async (behaviour: Behaviour, options?: ServerOptions) =>
      closeAfterFile(await startServer(behaviour, options)),
  };
}
