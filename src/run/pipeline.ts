import { dirname } from "node:path";
import { withSiteUrl, type Config } from "../config/schema.ts";
import { listNodes, type Node } from "../config/nodes.ts";
import { resolveFeed } from "../feed/resolve.ts";
import { hasManifest, markVoid, requireOwnFolder, withSiteLock } from "../site/manifest.ts";
import type { Round } from "../state/round.ts";
import { type CommandContext, type ExitCode, logStage } from "../base/terminal/context.ts";
import { decide, type StateChange } from "./decide.ts";
import { type ShowOptions, showRun } from "./show-run.ts";
import { loadNotices } from "./notices.ts";
import { openState, type StateOptions, type StoredState } from "./stored-state.ts";
import { writeFeed, type WriteOptions } from "./write-feed.ts";

export interface PipelineOptions extends StateOptions, WriteOptions, ShowOptions {
  /** The URL of the published site, if the configuration has none. */
  readonly siteUrl?: string | undefined;
}

/** Returns one round over all nodes: from probing them, or from results files. */
export type Observe = (
  config: Config,
  nodes: readonly Node[],
  state: Pick<StoredState, "load">,
) => Promise<Round>;

/**
 * Runs the data through the pipeline of `run`, `watch`, `build` and `demo`: load → probe → decide → model → render → write.
 * A void round, whose prober was offline, changes neither state nor site. If neither exists yet, it writes a site with every
 * status 0. Returns the exit code of the command.
 */
export async function runPipeline(
  loaded: Config,
  observe: Observe,
  options: PipelineOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { out } = options;
  const config = withSiteUrl(loaded, options.siteUrl);
  const nodes = listNodes(config);
  requireOwnFolder(out);
  const notices = await loadNotices(dirname(options.config), nodes, context.now());
  logStage("load", { nodes: nodes.length });

  const stored = openState(options, context);
  const claimed = await observe(config, nodes, stored);
  const { round, change, save } = await decide(config, nodes, claimed, stored, context);
  logStage("decide", { vantages: round.vantages.length, "online vantages": change.after.online.length });
  const isVoid = change.after.online.length === 0;
  const isKept = isVoid && (change.after.state !== undefined || hasManifest(out));

  // State and site share one lock, so that after two runs at once the site matches the last state.
  const saveAndWrite = async (checkLock: () => void): Promise<StateChange> => {
    const decided = isVoid ? change : await save();
    checkLock();
    writeFeed(config, resolveFeed(config, nodes, round, decided.after, notices), options, context, checkLock);
    return decided;
  };
  const decided = isKept ? change : await withSiteLock(out, context, saveAndWrite);
  markVoid(out, isVoid);
  return showRun({ nodes, round, isVoid, isKept, ...decided }, options, context);
}
