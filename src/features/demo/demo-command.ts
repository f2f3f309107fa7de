import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "@commander-js/extra-typings";
import type { Config } from "../../core/config/config-schema.ts";
import type { Results } from "../../core/probe/observation.ts";
import { InputError } from "../../core/base/errors.ts";
import { makeTemporaryFolder } from "../../core/base/files/folders.ts";
import type { ExitCode, CommandContext } from "../../core/base/terminal/context.ts";
import { type CommandFile, type OptionsOf, parsePort } from "../../core/command/command.ts";

/** Makes a feed from saved results, writes its site and prints a summary. */
type RunFeed = (
  config: Config,
  options: Readonly<Record<"config" | "out" | "state", string> & { fromResults: readonly string[] }>,
  context: CommandContext,
) => Promise<ExitCode>;

/** Returns the command. A feature cannot import the run, so the program hands it over. */
export function demoWith(runFeed: RunFeed): CommandFile {
  return {
    notes: { examples: ["mirrorfeed demo --port 9000", "mirrorfeed demo --once"] },
    declare: (command, execute) => {
      addOptions(command).action((options) => execute((context) => demo(runFeed, options, context)));
    },
  };
}

function addOptions(command: Command) {
  return command
    .option("--once", "print the results and exit, without serving the site")
    .option(
      "--port <number>",
      "the port to serve the site on; 0 picks a free one (default: 8080, or a free one)",
      parsePort,
    );
}

/** Probes good and bad mirrors on this machine, invents a history for them, and serves the site. */
export async function demo(
  runFeed: RunFeed,
  options: OptionsOf<typeof addOptions>,
  context: CommandContext,
): Promise<ExitCode> {
  const { listNodes } = await import("../../core/config/nodes.ts");
  const { validateConfig } = await import("../../core/config/validate.ts");
  const { saveResults } = await import("../../core/probe/results.ts");
  const { observe } = await import("../../core/probe/observe.ts");
  const { formatState } = await import("../../core/state/document.ts");
  const { startDemo } = await import("./demo-feed.ts");
  const { inventHistory, noticeOfHistory, story } = await import("./demo-history.ts");
  context.log("Starting good and bad mirrors on this machine ...");
  const { config: feed, history: answers, moveOn, close } = await startDemo(context.now());
  const folder = makeTemporaryFolder("site");
  const paths = {
    config: join(folder, "mirrors.json"),
    out: join(folder, "site"),
    state: join(folder, "state.json"),
  };
  try {
    const config = validateConfig(JSON.stringify(feed), "the demo");
    const nodes = listNodes(config);
    const notices = join(folder, "public", "incidents");
    mkdirSync(notices, { recursive: true });
    writeFileSync(join(notices, "invented.md"), noticeOfHistory(context.now()));
    // Ignores the environment's proxies, because they cannot reach servers on this machine.
    const probe = async (): Promise<Results> => ({
      ...(await observe(config, nodes, {}, { ...context, environment: {} })),
      history: answers,
    });
    const run = (results: Results, shown: CommandContext): Promise<ExitCode> => {
      const file = join(folder, "results.json");
      saveResults(file, results);
      return runFeed(config, { ...paths, fromResults: [file] }, shown);
    };
    const before = await probe();
    moveOn();
    const after = await probe();
    const history = inventHistory(config, nodes, { before, after }, context.now());
    if (history !== undefined) writeFileSync(paths.state, formatState(history));
    const exitCode = await run(after, context);
    context.output(`\n${story}`);
    if (options.once !== true) await present(paths.out, options.port, context);
    return exitCode;
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The README names this port. If it is in use, the site is served on any free one. */
const usualPort = 8080;

async function present(out: string, port: number | undefined, { interrupt, output, log }: CommandContext) {
  const { serveSite } = await import("../serve/serve.ts");
  const { url, close } = await serveSite(out, { port: port ?? usualPort }).catch((error: unknown) => {
    if (port !== undefined || !(error instanceof InputError)) throw error;
    return serveSite(out, { port: 0 });
  });
  try {
    output("\nThree requests to try, with their current answers:\n");
    for (const path of requests) {
      const answer = await fetch(`${url}/${path}`, { signal: interrupt });
      output(
        `  curl -i ${url}/${path}\n  ${answer.status} ${(await answer.text()).slice(0, 300).trimEnd()}\n`,
      );
    }
    log(`Open ${url}/ in a browser to see the status page (press Ctrl-C to stop and clean up)`);
    if (!interrupt.aborted) await once(interrupt, "abort");
  } finally {
    await close();
  }
}

/** Paths to try: a target's offline mirrors, a system that does not exist, and a target's mirror list. */
const requests = [
  "v1/network/demo/joomla/templates/0",
  "v1/network/nowhere/",
  "mirrorlist/demo/joomla/packages.txt",
];
