import { withSiteUrl } from "../config/base-path.ts";
import { listNodes, type NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { resolveFeed } from "../model/resolve.ts";
import { withSiteLock } from "../site/lock.ts";
import { isBegun, markVoid, refuseForeign } from "../site/write.ts";
import type { Round } from "../state/round.ts";
import type { CommandContext, ExitCode } from "../terminal/context.ts";
import { decide, type StateChange } from "./decide.ts";
import { type ShowOptions, showRun } from "./show-run.ts";
import { openState, type StateOptions, type StoredState } from "./stored-state.ts";
import { writeFeed, type WriteOptions } from "./write-feed.ts";

export interface PipelineOptions extends StateOptions, WriteOptions, ShowOptions {
  /** Where the site is published, if the configuration does not say so. */
  readonly siteUrl?: string | undefined;
}

/** Gives one run over all nodes: probes them, or reads what was observed before. */
export type Observe = (
  config: Config,
  nodes: readonly NetworkNode[],
  state: Pick<StoredState, "load">,
) => Promise<Round>;

/**
 * The way of the data from a configuration to a site: load → probe → decide → model → render → write. `run`, `watch`,
 * `build` and `demo` all go it. A void round leaves state and site as they are; only if there is neither yet, the site is
 * written, with every status 0.
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
  refuseForeign(out);

  const stored = openState(options, context);
  const { round, change, save } = await decide(
    config,
    nodes,
    await observe(config, nodes, stored),
    stored,
    context,
  );
  const isVoid = change.after.online.length === 0;
  const isKept = isVoid && (change.after.state !== undefined || isBegun(out));

  // One lock for both, so that of two runs at once the site is of the one whose state came last.
  const saveAndWrite = async (check: () => void): Promise<StateChange> => {
    const decided = isVoid ? change : await save();
    check();
    writeFeed(config, resolveFeed(config, nodes, round, decided.after), options, context);
    return decided;
  };
  const decided = isKept ? change : await withSiteLock(out, context, saveAndWrite);
  markVoid(out, isVoid);
  return showRun({ nodes, round, isVoid, isKept, ...decided }, options, context);
}
