import { dirname } from "node:path";
import { publicFolders } from "../core/base/files/package.ts";
import type { SiteFile } from "../core/base/files/site-file.ts";
import { type CommandContext, type ExitCode, logStage } from "../core/base/terminal/context.ts";
import { formatCount } from "../core/base/text/count.ts";
import { isoTimestamp } from "../core/base/text/timestamp.ts";
import { listNodes, type Node, receivingChannels } from "../core/config/nodes.ts";
import { basePath, type Config, withSiteUrl } from "../core/config/config-schema.ts";
import { type Feed, resolveFeed, resolveState, withNotifications } from "../core/feed/feed.ts";
import type { NoticeText } from "../core/feed/incidents.ts";
import { hostOf } from "../features/hosts/host-registry.ts";
import { updateNotifications } from "../features/notify/decide.ts";
import { notificationsAsTold } from "../features/notify/restored.ts";
import { renderTemplates } from "../features/templates/template.ts";
import { loadResults, saveResults } from "../core/probe/results.ts";
import { lastRunOf } from "../core/site/heartbeat.ts";
import { hasManifest, markVoid, requireOwnFolder, withSiteLock } from "../core/site/manifest.ts";
import { namesOf, overlay, readPublic } from "../core/site/public.ts";
import { writeSite } from "../core/site/write.ts";
import { advance } from "../core/state/advance.ts";
import { withoutClockAhead } from "../core/state/clock.ts";
import type { State } from "../core/state/state-schema.ts";
import { earlierRuns } from "../core/state/earlier-runs.ts";
import { isOnline, offlineShards } from "../core/state/online.ts";
import { mergeResults, type Round } from "../core/state/round.ts";
import { goneWarnings, loadNotices } from "../features/incidents/notices.ts";
import { notifyAfterRun, requireVariables } from "../features/notify/notify-run.ts";
import { observe, type ObserveOptions } from "../core/probe/observe.ts";
import { loadOwnFiles, type OwnFiles } from "../features/templates/own-files.ts";
import { renderSite } from "./render-site.ts";
import { openState, type StateOptions } from "../core/state/stored-state.ts";
import { formerNotes, isOlder, lostNote, restoredNote } from "./state-notes.ts";
import { showRun, type ShowOptions } from "./run-summary.ts";

export interface RunOptions extends StateOptions, ShowOptions, ObserveOptions {
  /** The URL of the published site, if mirrors.json does not set it. */
  readonly siteUrl?: string | undefined;
  /** A file to save the observations to. */
  readonly results?: string | undefined;
  /** Results files of all shards and vantages of one run, to read instead of probing. */
  readonly fromResults?: readonly string[] | undefined;
  readonly notify?: boolean | undefined;
}

/**
 * One run, shared by `run`, `watch`, `build` and `demo`: load → probe → advance → resolve → save → render → write →
 * print → notify. A void round (the prober was offline) changes neither state nor site. If neither exists yet, the site
 * is written with every status 0. Returns the command's exit code.
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
  const configFolder = dirname(options.config);
  const own = await loadOwnFiles(configFolder, nodes);
  const notices = await loadNotices(configFolder, nodes);
  const store = openState(options, context);
  // Read before the state, because a parallel run first saves its state and then writes the site.
  const siteAt = lastRunOf(out);
  const stored = await store.load();
  const isRestored = store.isRestored() || isOlder(stored, siteAt, context.now());
  logStage("load", { nodes: nodes.length });

  // Probe, or read results
  const observed =
    options.fromResults === undefined
      ? await probe(config, nodes, stored, options, context)
      : await readRound(options.fromResults, nodes, context);
  const round = clampToNow(observed, context);

  // Advance the state, and resolve the feed before and after the round
  const notify = isRestored ? notificationsAsTold : updateNotifications;
  let previous = stored;
  let earlier: string | undefined;
  let outcome = advanceAndResolve(config, nodes, round, notices, stored, notify);
  const isVoid = !outcome.feed.isKnown;
  const isUnchanged = isVoid && (stored !== undefined || hasManifest(out));
  logStage("decide", { vantages: round.vantages.length });

  // Save, render and write, under one lock, so that the site matches the last state even after parallel runs
  if (!isUnchanged)
    await withSiteLock(out, context, async (checkLock) => {
      if (!isVoid)
        await store.save((before) => {
          // If another run has saved its state since `stored` was loaded, this round is applied to that state.
          if (before !== stored)
            outcome = advanceAndResolve(config, nodes, round, notices, before, updateNotifications);
          previous = before;
          // Read before this state is stored, because the next run makes it the earlier one.
          earlier = store.earlier();
          if (outcome.state === undefined) throw new Error("A void round cannot be saved.");
          return outcome.state;
        });
      checkLock();
      writeFeed(config, outcome.feed, own, options, context, checkLock);
    });
  markVoid(out, isVoid);

  // Print and notify
  showRun({ nodes, round, isVoid, isUnchanged, ...outcome }, options, context);
  const { state } = outcome;
  const current = notices.filter(({ to }) => to === undefined || to > context.now());
  for (const { path, message } of current.flatMap(goneWarnings)) context.log(`Warning: ${path}: ${message}.`);
  if (!isVoid) {
    const isLost = previous === undefined && (siteAt !== undefined || earlier !== undefined);
    if (isLost) context.log(lostNote(options.state, earlier));
    if (isRestored) context.log(restoredNote);
    for (const note of formerNotes(previous, state, options.config)) context.log(note);
  }
  if (options.notify === true && state !== undefined) await notifyAfterRun(config, options, context);
  return isVoid ? 3 : 0;
}

/**
 * Returns the state after a round, and the feeds before and after it. A late or repeated round changes no verdict and
 * creates no notification.
 */
function advanceAndResolve(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  notices: readonly NoticeText[],
  stored: State | undefined,
  notify: typeof updateNotifications,
): { state: State | undefined; before: Feed | undefined; feed: Feed } {
  const { state, online, decidedAt } = advance(config, nodes, round, stored);
  // Comparing two feeds needs no counts, which take the longest, so the feed before the round is resolved without them.
  const before = stored && resolveState(config, nodes, { ...stored, vantages: {} });
  const feed = resolveFeed(config, nodes, round, { state, online }, notices);
  if (state === undefined || decidedAt === undefined) return { state, before, feed };
  const notifications = notify(before, feed);
  return { state: { ...state, notifications }, before, feed: withNotifications(feed, notifications) };
}

async function probe(
  config: Config,
  nodes: readonly Node[],
  stored: State | undefined,
  options: RunOptions,
  context: CommandContext,
): Promise<Round> {
  const results = await observe(config, nodes, { ...options, ...earlierRuns(stored, nodes) }, context);
  if (options.results !== undefined) saveResults(options.results, results);
  return mergeResults([results]);
}

/** Merges results files. Logs a warning about missing and offline shards. */
async function readRound(
  files: readonly string[],
  nodes: readonly Node[],
  context: CommandContext,
): Promise<Round> {
  const round = mergeResults(await Promise.all(files.map((file) => loadResults(file, nodes))));
  for (const vantage of round.vantages) {
    const offline = isOnline(nodes, vantage) ? offlineShards(nodes, vantage) : [];
    const warn = (shards: readonly number[], what: string, whatOfMany: string): void => {
      if (shards.length === 0) return;
      const named = `${shards.join(", ")} of the location ${vantage.name}`;
      context.log(
        shards.length === 1
          ? `Warning: shard ${named} ${what}, so its mirrors were not observed.`
          : `Warning: shards ${named} ${whatOfMany}, so their mirrors were not observed.`,
      );
    };
    warn(vantage.missingShards, "is missing", "are missing");
    warn(
      offline.map(({ index }) => index),
      "was offline",
      "were offline",
    );
  }
  return round;
}

function clampToNow(observed: Round, context: CommandContext): Round {
  const now = context.now();
  const round = withoutClockAhead(observed, now);
  if (round !== observed)
    context.log(
      `Warning: the results are from ${isoTimestamp(observed.at)}, but this machine's clock says ${isoTimestamp(now)}. They are treated as current; correct whichever clock is wrong.`,
    );
  return round;
}

/** Renders the feed and writes the site. Logs what was written and replaced, and warnings about the host's limits. */
function writeFeed(
  config: Config,
  feed: Feed,
  { copied, templates }: OwnFiles,
  { out }: RunOptions,
  context: CommandContext,
  checkLock: () => void,
): void {
  const rendered = renderSite(config, feed);
  const own = [...copied, ...renderTemplates(feed, templates)];
  // Files of the package replace rendered files, and the operator's files replace both.
  const files = [...publicFolders.map(readPublic), own].reduce<readonly SiteFile[]>(overlay, rendered);
  logStage("render", { files: files.length });
  const { written, unchanged, removed } = writeSite(out, files, checkLock);
  logStage("write", { written, unchanged, removed });
  context.log(`${out}: ${formatCount(written, "file")} written, ${unchanged} unchanged, ${removed} removed.`);
  const ownPaths = new Set(own.map(({ path }) => path));
  const replaced = rendered.filter(({ path }) => ownPaths.has(path));
  if (replaced.length > 0) context.log(`Files in your public/ replace generated ones: ${namesOf(replaced)}.`);
  const site = { feed: config.systems, basePath: basePath(config), files: files.length };
  for (const warning of hostOf(config.site.host).warnings?.(site) ?? []) context.log(`Warning: ${warning}`);
}
