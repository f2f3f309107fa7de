import { dayMs } from "../../core/base/text/duration.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Condition, rewrittenMs } from "./conditions.ts";
import type { NotifiedFeed } from "./notified-feed.ts";
import { channelsOf, type Want } from "./rules.ts";
import { claimMs, isActive, type Line, type Phase, type Told } from "./told.ts";

/** Something to tell a channel. `id` is that of a line that the state has, or undefined if the line is new. */
export interface Say {
  readonly phase: Phase;
  readonly id: string | undefined;
  readonly line: Line;
}

/** A channel's lines that remain, and what to tell it. */
export interface Difference {
  readonly lines: Told["lines"];
  readonly says: readonly Say[];
}

/** A host name with several servers may show several certificates, but a mirror could also show a new one in each run. */
const certificatesKept = 4;

/** What is known when channels are compared. */
export interface Known {
  readonly feed: NotifiedFeed;
  readonly now: number;
  /** The time of the last run. */
  readonly at: number;
  /** Whether the feed is recent enough to judge its mirrors. */
  readonly isCurrent: boolean;
  readonly isServedKnown: boolean;
  readonly nodes: ReadonlyMap<number, FeedNode>;
  readonly conditions: ReadonlyMap<string, Condition>;
}

/** Connects a condition to the lines about it. */
export function keyOf({ event, subject }: Pick<Condition, "event" | "subject">): string {
  return `${event} ${subject}`;
}

/** The comparison for one channel. */
export class Comparison {
  readonly #known: Known;
  readonly #channel: string;
  readonly #wants: ReadonlyMap<string, Want>;
  readonly #lines: Told["lines"] = {};
  readonly #says: Say[] = [];
  readonly #linesByKey = new Map<string, Line[]>();
  /** The mirrors whose outage the channel knows. */
  readonly #offline = new Set<number>();
  /** The mirrors that the channel knows to be unstable. */
  readonly #unstable = new Set<number>();

  constructor(known: Known, channel: string, wants: readonly Want[]) {
    this.#known = known;
    this.#channel = channel;
    this.#wants = new Map(wants.map((want) => [keyOf(want.condition), want]));
  }

  compare(lines: readonly (readonly [id: string, line: Line])[]): Difference {
    for (const isFirst of [true, false]) {
      for (const [id, line] of lines) if ((line.event === "unstable") === isFirst) this.#review(id, line);
      for (const want of this.#wants.values())
        if ((want.condition.event === "unstable") === isFirst) this.#begin(want);
    }
    return { lines: this.#lines, says: this.#says.sort(byUrgency) };
  }

  #review(id: string, told: Line): void {
    const line = this.#joined(told);
    const isClaimed = isActive(line, this.#known.now);
    const verdict = isClaimed ? "unknown" : this.#judge(line);
    const phase = line.claim?.phase;
    // The channel may have got the end, so if the event is so again, it begins anew.
    if (verdict === "unwanted" || (verdict === "so" && phase === "end")) return;
    this.#keep(id, line);
    if (verdict === "over") this.#says.push({ phase: "end", id, line });
    else if (line.event === "unstable") this.#unstable.add(Number(line.subject));
    if (verdict === "so" && phase === "begin") this.#says.push({ phase, id, line });
  }

  #keep(id: string, line: Line): void {
    this.#lines[id] = line;
    this.#linesByKey.set(keyOf(line), [...(this.#linesByKey.get(keyOf(line)) ?? []), line]);
    if (line.event === "offline") for (const node of line.nodes) this.#offline.add(node);
  }

  /** Adds to a line the mirrors that share the fault since it was told. */
  #joined(line: Line): Line {
    const { event, nodes } = line;
    if (event === "feed" || event === "certificate" || event === "rewritten") return line;
    const want = this.#wants.get(keyOf(line));
    if (want === undefined || (event === "offline" && !nodes.some((id) => want.outage.has(id)))) return line;
    const known = new Set(nodes);
    const judged = want.nodes.filter((one) => this.#isJudged(event, one));
    const joining = idsOf(judged).filter((id) => !known.has(id));
    return joining.length === 0 ? line : { ...line, nodes: sorted([...nodes, ...new Set(joining)]) };
  }

  #isJudged(event: Line["event"], { node, isFrozen }: Want["nodes"][number]): boolean {
    return !isFrozen && !(event === "offline" && this.#unstable.has(node?.id ?? 0));
  }

  /** Says whether a told event is so, over, not to be judged, or no longer wanted by the channel. */
  #judge(line: Line): "so" | "over" | "unknown" | "unwanted" {
    const { at, now, isCurrent, isServedKnown, conditions, feed } = this.#known;
    const { event, subject, until = 0 } = line;
    const condition = conditions.get(keyOf(line));
    if (event === "feed") {
      if (!this.#isWanted(line, undefined)) return "unwanted";
      if (condition !== undefined) return "so";
      // The clock of the machine that told it may be ahead.
      const isExpiring = now + claimMs > Date.parse(feed.run.expires_at);
      const isUnknown = subject === "runs" ? isExpiring : !isServedKnown;
      return feed.run.run === "" || isUnknown ? "unknown" : "over";
    }
    const nodes = line.nodes.flatMap((id) => this.#known.nodes.get(id) ?? []);
    const wanted = nodes.filter((node) => this.#isWanted(line, node));
    const isForgotten =
      (event === "rewritten" && at - until >= rewrittenMs) ||
      (event === "certificate" && at >= until + dayMs);
    if (wanted.length === 0 || isForgotten) return "unwanted";
    if (!isCurrent) return "unknown";
    if (event === "rewritten" || event === "certificate") {
      // These have no end.
      const isSo = event === "rewritten" ? condition !== undefined : condition?.until === until;
      return isSo && condition?.nodes.some(({ isFrozen }) => !isFrozen) === true ? "so" : "unknown";
    }
    const ids = new Set(wanted.map(({ id }) => id));
    const paused = wanted.filter(({ maintenance }) => maintenance !== undefined);
    const verdicts =
      event === "offline"
        ? wanted.map((node) => this.#offlineVerdict(node))
        : (condition?.nodes ?? [])
            .filter(({ node }) => ids.has(node?.id ?? 0))
            .map(({ isFrozen }) => (isFrozen ? "unknown" : "so"));
    if (verdicts.includes("so")) return "so";
    return paused.length > 0 || verdicts.includes("unknown") ? "unknown" : "over";
  }

  #offlineVerdict({ id, status, maintenance, verified }: FeedNode): "so" | "over" | "unknown" {
    if (this.#unstable.has(id) || maintenance !== undefined) return "unknown";
    if (status === 1) return "over";
    return verified ? "so" : "unknown";
  }

  #isWanted({ event, since, restored }: Line, node: FeedNode | undefined): boolean {
    const { feed, at, now } = this.#known;
    // The clock of the machine that told it may be ahead.
    const lasted = (event === "feed" ? now + claimMs : at) - since;
    return feed.rules.some(
      (rule) =>
        rule.events.has(event) &&
        channelsOf(rule, node).includes(this.#channel) &&
        (restored === true || event === "certificate" || lasted >= rule.afterMs(event)),
    );
  }

  #begin(want: Want): void {
    const { condition, rule } = want;
    const { event, subject, until, rewritten = [] } = condition;
    const due = want.due.filter((one) => this.#isJudged(event, one));
    if (rule === undefined || due.length === 0) return;
    const same = this.#linesByKey.get(keyOf(condition)) ?? [];
    const line = {
      channel: this.#channel,
      event,
      subject,
      nodes: idsOf(due),
      since: want.since,
      rule,
      until,
    };
    if (event === "offline") {
      const nodes = line.nodes.filter((id) => !this.#offline.has(id));
      if (nodes.length > 0) this.#say({ ...line, nodes });
    } else if (event === "rewritten") {
      const { at } = this.#known;
      const last = same.reduce((latest, one) => Math.max(latest, one.until ?? 0), 0);
      const since = rewritten.find((time) => time > last);
      if (since !== undefined && at - last >= dayMs) this.#say({ ...line, since, until: at });
    } else if (event === "certificate") {
      if (same.length < certificatesKept && !same.some((one) => one.until === until)) this.#say(line);
    } else if (same.length === 0) this.#say(line);
  }

  #say(line: Line): void {
    this.#says.push({ phase: "begin", id: undefined, line });
    if (line.event === "unstable") this.#unstable.add(Number(line.subject));
  }
}

function idsOf(nodes: Want["nodes"]): number[] {
  return sorted(nodes.flatMap(({ node }) => node?.id ?? []));
}

function sorted(ids: readonly number[]): number[] {
  return ids.toSorted((one, other) => one - other);
}

/** Outages and events about the feed come first, then what began first. */
function byUrgency({ line: one }: Say, { line: other }: Say): number {
  const canWait = ({ event }: Line): number => (event === "offline" || event === "feed" ? 0 : 1);
  return canWait(one) - canWait(other) || one.since - other.since || (keyOf(one) < keyOf(other) ? -1 : 1);
}
