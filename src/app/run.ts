import { dirname } from "node:path";
import { type CommandContext, type ExitCode, logStage } from "../core/base/terminal/context.ts";
import { type Config, withSiteUrl } from "../core/config/config-schema.ts";
import { listNodes, receivingChannels } from "../core/config/nodes.ts";
import { heartbeatOf } from "../core/site/site-paths.ts";
import { intervalNote } from "./config-checks.ts";
import { isOlder, stateNotes } from "./state-notes.ts";
import { markVoid, readManifest, requireOwnFolder, withSiteLock } from "../core/site/manifest.ts";
import { openState, type StateOptions } from "../core/state/stored-state.ts";
import { goneWarnings, loadNotices } from "../features/incidents/notices.ts";
import { notifyAfterRun } from "../features/notify/notify-run.ts";
import { requireVariables } from "../features/notify/secrets.ts";
import { advanceFeed, openFeed } from "./advance-feed.ts";
import { collectEarly } from "./collect-early.ts";
import { loadOwnFiles } from "./own-files.ts";
import { type RoundOptions, takeRound } from "./rounds.ts";
import { type ShowOptions, showRun } from "./run-summary.ts";
import { stateDocument } from "./state-document.ts";
import { writeFeed } from "./write-feed.ts";

export interface RunOptions extends StateOptions, ShowOptions, RoundOptions {
  /** The URL of the published site, if mirrors.json does not set it. */
  readonly siteUrl?: string | undefined;
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
  collectEarly();

  // Load
  const { out } = options;
  const config = withSiteUrl(loaded, options.siteUrl);
  const nodes = listNodes(config);
  if (options.notify === true) requireVariables(receivingChannels(config), context);
  requireOwnFolder(out);
  const configFolder = dirname(options.config);
  const own = await loadOwnFiles(configFolder, nodes);
  const notices = await loadNotices(configFolder, nodes);
  const store = openState(options, stateDocument, context);
  // Read before the state, because a parallel run first saves its state and then writes the site.
  const siteAt = Date.parse(heartbeatOf(out)?.generated_at ?? "") || undefined;
  let stored = await store.load();
  const isFirst = stored === undefined;
  const isRestored = store.isRestored() || isOlder(stored, siteAt, context.now());
  logStage("load", { nodes: nodes.length });

  // Probe, or read results
  const round = await takeRound(config, nodes, stored, options, context);

  // Advance the state, and resolve the feed before and after the round
  let outcome = advanceFeed(config, nodes, round, notices, stored, isRestored);
  const isVoid = !outcome.feed.isKnown;
  const isUnchanged = isVoid && (!isFirst || readManifest(out) !== undefined);
  const hasState = outcome.state !== undefined;
  let notes: readonly string[] = [];
  logStage("decide", { vantages: round.vantages.length });

  // Save, render and write, under one lock, so that the site matches the last state even after parallel runs
  if (!isUnchanged)
    await withSiteLock(out, context, async (checkLock) => {
      if (!isVoid)
        await store.save((before) => {
          // If another run has saved its state since `stored` was loaded, this round is applied to that state.
          if (before !== stored) outcome = advanceFeed(config, nodes, round, notices, before, false);
          const { state } = outcome;
          if (state === undefined) throw new Error("A void round cannot be saved.");
          // Asked before this state is stored, because that makes another state the earlier one.
          const earlier = store.earlier();
          const found = { state: before, earlier, wroteSite: siteAt !== undefined, isRestored };
          notes = [
            ...stateNotes(found, state, options),
            ...intervalNote(outcome.before?.run, outcome.feed.run),
          ];
          return state;
        });
      // Releases the states, because writing the site of a large feed needs the memory.
      stored = undefined;
      outcome = { ...outcome, state: undefined };
      checkLock();
      writeFeed(config, outcome.feed, own, options, context, checkLock);
    });
  markVoid(out, isVoid);

  // Print and notify
  showRun({ nodes, round, isVoid, isUnchanged, ...outcome }, options, context);
  for (const { path, message } of goneWarnings(notices, context.now()))
    context.log(`Warning: ${path}: ${message}.`);
  for (const note of notes) context.log(note);
  if (options.notify === true && hasState)
    await notifyAfterRun(config, openFeed(config, options, context), options, context);
  return isVoid ? 3 : 0;
}
