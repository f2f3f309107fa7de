import { dirname, join } from "node:path";
import { publicFolders } from "../base/files/package.ts";
import type { SiteFile } from "../base/files/site-file.ts";
import { type CommandContext, type ExitCode, logStage } from "../base/terminal/context.ts";
import { formatCount } from "../base/text/count.ts";
import { isoTimestamp } from "../base/text/timestamp.ts";
import { listNodes, type Node, receivingChannels } from "../config/nodes.ts";
import { basePath, type Config, withSiteUrl } from "../config/schema.ts";
import { resolveFeed, resolveState, withNotifications } from "../feed/feed.ts";
import { hostOf } from "../hosts/registry.ts";
import { updateNotifications } from "../notify/decide.ts";
import { loadResults, saveResults } from "../probe/results.ts";
import { hasManifest, markVoid, requireOwnFolder, withSiteLock } from "../site/manifest.ts";
import { overlay, readPublic } from "../site/public.ts";
import { writeSite } from "../site/write.ts";
import { advance } from "../state/advance.ts";
import { withoutClockAhead } from "../state/clock.ts";
import type { State } from "../state/schema.ts";
import { earlierRuns } from "../state/earlier-runs.ts";
import { isOnline, offlineShards } from "../state/online.ts";
import { mergeResults, type Round } from "../state/round.ts";
import { isNotice, loadNotices } from "./notices.ts";
import { notifyAfterRun, requireVariables } from "./notify.ts";
import { observe, type ObserveOptions } from "./observe.ts";
import { renderSite } from "./render-site.ts";
import { openState, type StateOptions } from "./stored-state.ts";
import { showRun, type ShowOptions } from "./summary.ts";

export interface RunOptions extends StateOptions, ShowOptions, ObserveOptions {
  /** The URL of the published site, if the configuration has none. */
  readonly siteUrl?: string | undefined;
  /** Where the observations are saved too. */
  readonly results?: string | undefined;
  /** Results files of all shards and vantages of one run, which are read instead of probing. */
  readonly fromResults?: readonly string[] | undefined;
  /** Whether the messages that wait are sent after the run. */
  readonly notify?: boolean | undefined;
}

/**
 * One run, as of `run`, `watch`, `build` and `demo`: load → probe → advance → resolve → render → write → notify. A void
 * round, whose prober was offline, changes neither state nor site; if neither exists yet, it writes a site with every status
 * 0. Returns the exit code of the command.
 */
export async function runFeed(
  loaded: Config,
  options: RunOptions,
  context: CommandContext,
): Promise<ExitCode> {
  // Load
  const { out } = options;
  const config = withSiteUrl(loaded, options.siteUrl);
  const nodes = listNodes(config);
  if (options.notify === true) requireVariables(receivingChannels(config), context);
  requireOwnFolder(out);
  const notices = await loadNotices(dirname(options.config), nodes, context.now());
  const store = openState(options, context);
  const stored = await store.load();
  logStage("load", { nodes: nodes.length });

  // Probe, or read what was probed
  const observed =
    options.fromResults === undefined
      ? await probe(config, nodes, stored, options, context)
      : await readRound(options.fromResults, nodes, context);
  const round = asOfNow(observed, context);

  // Advance the state and resolve the feed. This is pure, and is repeated if another run saves its state first.
  const decide = (before: State | undefined) => {
    const { state, online, decidedAt } = advance(config, nodes, round, before);
    // What a run changes does not depend on counts, which take longest to resolve.
    const feedBefore = before && resolveState(config, nodes, { ...before, vantages: {} });
    const feed = resolveFeed(config, nodes, round, { state, online }, notices);
    if (state === undefined || decidedAt === undefined) return { state, feedBefore, feed };
    const notifications = updateNotifications(feedBefore, feed);
    return { state: { ...state, notifications }, feedBefore, feed: withNotifications(feed, notifications) };
  };
  let decided = decide(stored);
  const isVoid = !decided.feed.isKnown;
  const isKept = isVoid && (stored !== undefined || hasManifest(out));
  logStage("decide", { vantages: round.vantages.length });

  // Save the state, render and write. One lock for both, so that after two runs at once the site matches the last state.
  if (!isKept)
    await withSiteLock(out, context, async (checkLock) => {
      if (!isVoid)
        await store.save((before) => {
          if (before !== stored) decided = decide(before);
          if (decided.state === undefined) throw new Error("A void round cannot be saved.");
          return decided.state;
        });
      checkLock();
      const files = withPublic(renderSite(config, decided.feed), options);
      logStage("render", { files: files.length });
      const { written, unchanged, removed } = writeSite(out, files, checkLock);
      logStage("write", { written, unchanged, removed });
      context.log(
        `${out}: ${formatCount(written, "file")} written, ${unchanged} unchanged, ${removed} removed.`,
      );
      const site = { feed: config.systems, basePath: basePath(config), files: files.length };
      const warnings = hostOf(config.site.host).warnings?.(site) ?? [];
      for (const warning of warnings) context.log(`Warning: ${warning}`);
    });
  markVoid(out, isVoid);
  showRun({ nodes, round, isVoid, isKept, before: decided.feedBefore, feed: decided.feed }, options, context);

  // Notify
  if (options.notify === true) await notifyAfterRun(config, options, context);
  return isVoid ? 3 : 0;
}

async function probe(
  config: Config,
  nodes: readonly Node[],
  stored: State | undefined,
  options: RunOptions,
  context: CommandContext,
): Promise<Round> {
  const results = await observe(config, nodes, { ...options, ...earlierRuns(stored) }, context);
  if (options.results !== undefined) saveResults(options.results, results);
  return mergeResults([results]);
}

/** Returns the round of results files. Logs a warning for each shard that is missing, or was offline. */
async function readRound(
  files: readonly string[],
  nodes: readonly Node[],
  context: CommandContext,
): Promise<Round> {
  const round = mergeResults(await Promise.all(files.map((file) => loadResults(file, nodes))));
  for (const vantage of round.vantages) {
    const offline = isOnline(nodes, vantage) ? offlineShards(nodes, vantage) : [];
    const warn = (shards: readonly number[], what: string): void => {
      if (shards.length === 0) return;
      const named = `shard ${shards.join(", ")} of the vantage ${vantage.name}`;
      context.log(`Warning: ${named} ${what}; its nodes are unobserved.`);
    };
    warn(vantage.missingShards, "is missing");
    warn(
      offline.map(({ index }) => index),
      "was offline",
    );
  }
  return round;
}

/** Returns the round as of now, with a warning, if it is later than this machine's clock. */
function asOfNow(observed: Round, context: CommandContext): Round {
  const now = context.now();
  const round = withoutClockAhead(observed, now);
  if (round !== observed)
    context.log(
      `Warning: the results are from ${isoTimestamp(observed.at)}, but this machine's clock says ${isoTimestamp(now)}. They count as of now. Correct the wrong clock.`,
    );
  return round;
}

/** Returns the files with those of the package's `public/`, and those of `public/` beside mirrors.json, which replace others. */
function withPublic(rendered: readonly SiteFile[], { config }: RunOptions): readonly SiteFile[] {
  const own = readPublic(join(dirname(config), "public")).filter(({ path }) => !isNotice(path));
  return [...publicFolders.map(readPublic), own].reduce(overlay, rendered);
}
