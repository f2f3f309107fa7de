import type { Config } from "../core/config/config-schema.ts";
import { listNodes, type Node } from "../core/config/nodes.ts";
import { type Feed, nodesOf, resolveFeed, resolveState, targetsOf } from "../core/feed/feed.ts";
import type { NoticeText } from "../core/feed/incidents.ts";
import { advance } from "../core/state/advance.ts";
import type { Round } from "../core/state/round.ts";
import { familiesAfter, reachabilityOf } from "../features/families/families.ts";
import { toldAfterRestoring, withWaiting } from "../features/notify/claims.ts";
import { notifiedFeed, type NotifiedFeed, withoutNodes } from "../features/notify/told.ts";
import { type FeedState, stateDocument } from "./state-document.ts";
import { InputError } from "../core/base/errors.ts";
import { openState } from "../core/state/stored-state.ts";
import type { OpenNotified } from "../features/notify/notify-run.ts";

/** A feed before a run: its last run, and the state of each mirror. */
export type RunBefore = Readonly<ReturnType<typeof runBefore>>;

/** Keeps little of the feed, because that of the run itself is large already. */
export function runBefore({ run, systems }: Feed) {
  return { run, states: new Map(nodesOf(targetsOf(systems)).map(({ id, state }) => [id, state])) };
}

/**
 * Applies a round to the stored state. A late or repeated round changes no verdict. In the result, `before` is undefined
 * before the first run.
 */
export function advanceFeed(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  notices: readonly NoticeText[],
  stored: FeedState | undefined,
  isRestored: boolean,
) {
  const after = advanceState(config, nodes, round, stored);
  // Comparing two feeds needs no counts, which take the longest, so the feed before the round is resolved without them.
  const before = stored && runBefore(resolveStored(config, nodes, { ...stored, vantages: {} }));
  const feed = resolveRound(config, nodes, round, after, notices);
  const { state } = after;
  if (state === undefined || !isRestored) return { state, before, feed: withWaiting(feed) };
  const notifications = toldAfterRestoring(feed);
  return { state: { ...state, notifications }, before, feed: withWaiting({ ...feed, notifications }) };
}

/** Advances core's state, then the parts of features. */
export function advanceState(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  stored: FeedState | undefined,
) {
  const after = advance(config, nodes, round, stored);
  if (after.state === stored) return { ...after, state: stored };
  const { online, decidedAt, replaced } = after;
  const { hosts, notifications } = stored ?? {};
  const state = after.state && {
    ...after.state,
    hosts: decidedAt === undefined ? hosts : familiesAfter(hosts, nodes, online, decidedAt),
    notifications: notifications && withoutNodes(notifications, replaced),
  };
  return { ...after, state };
}

export function resolveRound(
  config: Config,
  nodes: readonly Node[],
  round: Round,
  after: Pick<ReturnType<typeof advanceState>, "state" | "online">,
  notices?: readonly NoticeText[],
): NotifiedFeed {
  const additions = { notices, reachability: reachabilityOf(after.state?.hosts) };
  const feed = resolveFeed(config, nodes, round, after, additions);
  return notifiedFeed(feed, config, after.state?.notifications);
}

/** Returns the feed from a state alone, without observations. */
export function resolveStored(config: Config, nodes: readonly Node[], state: FeedState): NotifiedFeed {
  const feed = resolveState(config, nodes, state, { reachability: reachabilityOf(state.hosts) });
  return notifiedFeed(feed, config, state.notifications);
}

/** Opens the feed of a stored state, for those who send its notifications. */
export const openFeed: OpenNotified = (config, options, context) => {
  const store = openState(options, stateDocument, context);
  const nodes = listNodes(config);
  return {
    load: async () => {
      const state = await store.load();
      return state && resolveStored(config, nodes, state);
    },
    save: async (update) => {
      const saved = await store.save((before) => {
        if (before === undefined)
          throw new InputError("The state disappeared while notifications were being sent; restore it.");
        return { ...before, notifications: update(resolveStored(config, nodes, before)) };
      });
      return resolveStored(config, nodes, saved);
    },
  };
};
