import { dayMs } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Condition, conditionsOf, feedConditions, rewrittenMs } from "./conditions.ts";
import { channelsOf, type Want, wantsOf } from "./rules.ts";
import {
  claimMs,
  isActive,
  type Line,
  type NotifiedFeed,
  nothingTold,
  type Phase,
  type Told,
} from "./told.ts";

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

/** By channel. */
export type Differences = ReadonlyMap<string, Difference>;

/** What is known when channels are compared. */
interface Known {
  readonly feed: NotifiedFeed;
  readonly now: number;
  /** The time of the last run. */
  readonly at: number;
  /** Whether the feed is recent enough to judge its mirrors. */
  readonly isCurrent: boolean;
  readonly isServedKnown: boolean;
  readonly nodes: ReadonlyMap<number, FeedNode>;
  readonly conditions: ReadonlyMap<string, Condition>;
  /** For an event of a mirror that is so or that cannot be judged: whether it cannot be judged. */
  readonly frozen: ReadonlyMap<string, boolean>;
}

/** A host name with several servers may show several certificates, but a mirror could also show a new one in each run. */
const certificatesKept = 4;

/**
 * Compares what is so with what each channel was told. `servedAt` is the time of the run that the published site shows,
 * if known.
 */
export function differencesOf(feed: NotifiedFeed, now: number, servedAt?: number): Differences {
  const { run, notifications = nothingTold, rules } = feed;
  const at = Date.parse(run.generated_at);
  const isCurrent = run.run !== "" && now <= Date.parse(run.expires_at);
  const conditions = [
    ...(isCurrent ? conditionsOf(feed) : []),
    ...(run.run === "" ? [] : feedConditions(feed, now, servedAt)),
  ];
  const known: Known = {
    ...{ feed, now, at, isCurrent, isServedKnown: servedAt !== undefined },
    nodes: new Map(nodesOf(targetsOf(feed.systems)).map((node) => [node.id, node])),
    conditions: new Map(conditions.map((one) => [keyOf(one), one])),
    frozen: new Map(
      conditions.flatMap(({ event, nodes }) =>
        nodes.map(({ node, isFrozen }) => [`${event} ${node?.id}`, isFrozen] as const),
      ),
    ),
  };
  const judged = conditions.filter(({ nodes }) => nodes.some(({ isFrozen }) => !isFrozen));
  const wants = group(judged.flatMap((one) => [...wantsOf(rules, one, one.event === "feed" ? now : at)]));
  const lines = group(
    Object.entries(notifications.lines).map(([id, line]) => [line.channel, [id, line] as const]),
  );
  const names = [...new Set([...wants.keys(), ...lines.keys()])].sort();
  return new Map(
    names
      .filter((name) => Object.hasOwn(feed.channels, name))
      .map((name) => [
        name,
        new Comparison(known, name, wants.get(name) ?? []).compare(lines.get(name) ?? []),
      ]),
  );
}

/** Connects a condition to the lines about it. */
function keyOf({ event, subject }: Pick<Condition, "event" | "subject">): string {
  return `${event} ${subject}`;
}

/** The comparison for one channel. */
class Comparison {
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

  /** Unstable mirrors come first, because nothing else is said about their outages. */
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
    const verdict = isActive(line, this.#known.now) ? "unknown" : this.#judge(line);
    const phase = line.claim?.phase;
    // The channel may have got the end, so if the event is so again, it begins anew.
    if (verdict === "unwanted" || (verdict === "so" && phase === "end")) return;
    this.#lines[id] = line;
    this.#linesByKey.set(keyOf(line), [...(this.#linesByKey.get(keyOf(line)) ?? []), line]);
    if (line.event === "offline") for (const node of line.nodes) this.#offline.add(node);
    if (verdict === "over") this.#says.push({ phase: "end", id, line });
    else if (line.event === "unstable") this.#unstable.add(Number(line.subject));
    if (verdict === "so" && phase === "begin") this.#says.push({ phase, id, line });
  }

  /** Adds to an outage the mirrors that share it since it was told. */
  #joined(line: Line): Line {
    const { event, nodes } = line;
    const want = event === "offline" ? this.#wants.get(keyOf(line)) : undefined;
    if (want === undefined || !nodes.some((id) => want.outage.has(id))) return line;
    const joined = new Set([...nodes, ...this.#judgedOf(event, want.nodes)]);
    if (joined.size === nodes.length) return line;
    return { ...line, nodes: [...joined].sort((one, other) => one - other) };
  }

  /** Returns the ids of the mirrors whose event can be judged, in ascending order. */
  #judgedOf(event: Line["event"], nodes: Want["nodes"]): number[] {
    return nodes
      .filter(({ isFrozen }) => !isFrozen)
      .flatMap(({ node }) => node?.id ?? [])
      .filter((id) => event !== "offline" || !this.#unstable.has(id))
      .sort((one, other) => one - other);
  }

  /** Says whether a told event is so, over, not to be judged, or no longer wanted by the channel. */
  #judge(line: Line): "so" | "over" | "unknown" | "unwanted" {
    const { at, isCurrent, isServedKnown, conditions, nodes } = this.#known;
    const { event, subject, until = 0 } = line;
    const condition = conditions.get(keyOf(line));
    if (event === "feed") {
      if (!this.#isWanted(line, undefined)) return "unwanted";
      if (condition !== undefined) return "so";
      return subject === "site" && !isServedKnown ? "unknown" : "over";
    }
    const wanted = line.nodes
      .flatMap((id) => nodes.get(id) ?? [])
      .filter((node) => this.#isWanted(line, node));
    const isForgotten =
      (event === "rewritten" && at - until >= rewrittenMs) ||
      (event === "certificate" && at >= until + dayMs);
    if (wanted.length === 0 || isForgotten) return "unwanted";
    if (!isCurrent || (event === "certificate" && condition?.until !== until)) return "unknown";
    const verdicts = wanted.map((node) => this.#verdictOn(event, node));
    if (verdicts.includes("so")) return "so";
    const hasNoEnd = event === "rewritten" || event === "certificate";
    return hasNoEnd || verdicts.includes("unknown") ? "unknown" : "over";
  }

  #verdictOn(event: Line["event"], { id, maintenance }: FeedNode): "so" | "over" | "unknown" {
    const isFrozen = this.#known.frozen.get(`${event} ${id}`);
    const isSilent = event === "offline" && this.#unstable.has(id);
    if (isFrozen === true || isSilent || maintenance !== undefined) return "unknown";
    return isFrozen === false ? "so" : "over";
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

  #begin({ condition, rule, due, since }: Want): void {
    const { event, subject, until, rewritten = [] } = condition;
    const nodes = this.#judgedOf(event, due);
    if (rule === undefined || (nodes.length === 0 && event !== "feed")) return;
    const same = this.#linesByKey.get(keyOf(condition)) ?? [];
    const line = { channel: this.#channel, event, subject, nodes, since, rule, until };
    if (event === "offline") {
      const news = nodes.filter((id) => !this.#offline.has(id));
      if (news.length > 0) this.#say({ ...line, nodes: news });
    } else if (event === "rewritten") {
      const { at } = this.#known;
      const last = same.reduce((latest, one) => Math.max(latest, one.until ?? 0), 0);
      const first = rewritten.find((time) => time > last);
      if (first !== undefined && at - last >= dayMs) this.#say({ ...line, since: first, until: at });
    } else if (event === "certificate") {
      if (same.length < certificatesKept && !same.some((one) => one.until === until)) this.#say(line);
    } else if (same.length === 0) this.#say(line);
  }

  #say(line: Line): void {
    this.#says.push({ phase: "begin", id: undefined, line });
    if (line.event === "unstable") this.#unstable.add(Number(line.subject));
  }
}

/** Outages and events about the feed come first, then what began first. */
function byUrgency({ line: one }: Say, { line: other }: Say): number {
  const canWait = ({ event }: Line): number => (event === "offline" || event === "feed" ? 0 : 1);
  return canWait(one) - canWait(other) || one.since - other.since || (keyOf(one) < keyOf(other) ? -1 : 1);
}

/** Returns what remains without telling anybody anything: the same object if nothing changes. */
export function keptLines(
  { notifications = nothingTold, channels }: NotifiedFeed,
  differences: Differences,
): Told {
  const before = Object.entries(notifications.lines);
  const lines = Object.fromEntries([...differences.values()].flatMap((one) => Object.entries(one.lines)));
  if (before.length === Object.keys(lines).length && before.every(([id, line]) => lines[id] === line))
    return notifications;
  const named = Object.entries(notifications.channels).filter(([name]) => Object.hasOwn(channels, name));
  return { lines, channels: Object.fromEntries(named) };
}
