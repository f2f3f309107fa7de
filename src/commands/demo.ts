import { once } from "node:events";
import { createServer } from "node:net";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { validateConfig } from "../config/validate.ts";
import { startDemo } from "../testbed/demo-feed.ts";
import { startTestbed } from "../testbed/testbed.ts";
import { errorCode } from "../errors.ts";
import { serveSite } from "../site/serve.ts";
import { mergeResults } from "../state/round.ts";
import { makeTemporaryFolder } from "../files/temporary-folder.ts";
import { observe } from "../pipeline/observe.ts";
import { type Observe, runPipeline } from "../pipeline/pipeline.ts";
import type { ExitCode, CommandContext } from "../terminal/context.ts";

export interface DemoOptions {
  /** The port of the preview. Without it 8080, or any free one if that is taken. */
  readonly port?: number | undefined;
  readonly once?: boolean | undefined;
}

/**
 * Runs everything on a testbed: mirrors on this machine, good and bad, are probed, and the site is written and served.
 */
export async function demo(options: DemoOptions, context: CommandContext): Promise<ExitCode> {
  context.log("Starting a testbed of mirrors on this machine ...");
  const testbed = await startTestbed(context);
  const folder = makeTemporaryFolder("site");
  const out = join(folder, "site");
  const state = join(folder, "state.json");
  try {
    const { config: feed, moveOn } = await startDemo(testbed);
    const config = validateConfig(JSON.stringify(feed), "the demo");
    const run = (shown: CommandContext): Promise<ExitCode> => {
      // The testbed is on this machine, so no proxy reaches it.
      const direct = { ...shown, environment: {} };
      const probe: Observe = async (of, nodes) => mergeResults([await observe(of, nodes, {}, direct)]);
      return runPipeline(config, probe, { out, state }, shown);
    };
    // A lagging mirror is visible only after the others have moved on.
    await run({ ...context, output: () => undefined, log: () => undefined });
    await moveOn();
    const exitCode = await run(context);
    if (options.once !== true) await present(out, options.port, context);
    return exitCode;
  } finally {
    await testbed.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The port that the README names. */
const usualPort = 8080;

async function present(
  out: string,
  port: number | undefined,
  { interrupt, output, log }: CommandContext,
): Promise<void> {
  const { url, close } = await serveSite(out, { port: port ?? (await freePort(usualPort)) });
  try {
    output("\nRequests to try, and their answers now:\n");
    for (const path of requests) {
      const answer = await fetch(`${url}/v1/network/${path}`, { signal: interrupt });
      output(
        `  curl -i ${url}/v1/network/${path}\n  ${answer.status} ${shorten((await answer.text()).trimEnd())}\n`,
      );
    }
    log(`Serving the demo and its status page at ${url}/ (Ctrl-C ends it and removes it)`);
    if (!interrupt.aborted) await once(interrupt, "abort");
  } finally {
    await close();
  }
}

const requests = [
  "demo/joomla/super-powers/1",
  "demo/joomla/packages/0",
  "demo/joomla/packages",
  "demo/",
  "nowhere/",
  "demo/nothing/",
  "demo/joomla/nothing",
  "demo/joomla/packages/2",
];

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)} ...` : text;
}

/** Returns the port if it is free, else 0, which means any free one. */
async function freePort(port: number): Promise<number> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
  } catch (error) {
    if (errorCode(error) !== "EADDRINUSE") throw error;
    return 0;
  }
  server.close();
  await once(server, "close");
  return port;
}
