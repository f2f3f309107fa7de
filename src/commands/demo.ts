import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listNodes } from "../config/nodes.ts";
import { validateConfig } from "../config/validate.ts";
import { startDemo } from "../demo/feed.ts";
import { startLaboratory } from "../demo/laboratory.ts";
import { serveSite } from "../site/serve.ts";
import { mergeResults } from "../state/round.ts";
import { conclude } from "./conclude.ts";
import { observe } from "./observe.ts";
import type { ExitCode, Setting } from "./setting.ts";

export interface DemoOptions {
  readonly port: number;
  readonly once?: boolean | undefined;
}

/** The whole job on a laboratory of its own: mirrors on this machine, good and bad, probed, written and served. */
export async function demo(options: DemoOptions, setting: Setting): Promise<ExitCode> {
  setting.tell("Starting a laboratory of mirrors on this machine ...");
  const laboratory = await startLaboratory(setting);
  const folder = await mkdtemp(join(tmpdir(), "mirrorfeed-site-"));
  const out = join(folder, "site");
  const state = join(folder, "state.json");
  try {
    const { config: feed, moveOn } = await startDemo(laboratory);
    const config = validateConfig(JSON.stringify(feed), "the demo");
    const nodes = listNodes(config);
    const run = async (shown: Setting): Promise<ExitCode> => {
      // The laboratory is on this machine, so no proxy leads to it.
      const results = await observe(config, nodes, {}, { ...shown, environment: {} });
      return conclude(config, nodes, mergeResults([results]), { out, state }, shown);
    };
    // Who lags behind shows only where the others have moved on.
    await run({ ...setting, print: () => undefined, tell: () => undefined });
    await moveOn();
    const exitCode = await run(setting);
    if (options.once !== true) await present(out, options.port, setting);
    return exitCode;
  } finally {
    await laboratory.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function present(out: string, port: number, { interrupt, print, tell }: Setting): Promise<void> {
  const { url, close } = await serveSite(out, { port });
  try {
    print("\nRequests to try, and their answers now:\n");
    for (const path of requests) {
      const answer = await fetch(`${url}/v1/network/${path}`, { signal: interrupt });
      print(
        `  curl -i ${url}/v1/network/${path}\n  ${answer.status} ${shorten((await answer.text()).trimEnd())}\n`,
      );
    }
    tell(`Serving the demo and its status page at ${url}/ (Ctrl-C ends it and removes it)`);
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
