import type { EventName } from "../../core/config/notify-rules.ts";
import { dayMs } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Condition, conditionsOf, feedConditions, rewrittenMs } from "./conditions.ts";
import { rulesFor, type Want, wantsOf } from "./rules.ts";
import { claimMs, isActive, type Line, type NotifiedFeed, type Phase, type Told } from "./told.ts";

/** Something to tell a channel. `id` is that of a line that the state has, or undefined if the line is new. */
export interface Say {
  readonly phase: Phase;
  readonly id: string | undefined;
  readonly line: Line;
}

export interface Difference {
  /** What remains without telling anybody anything: the same object if nothing changes. */
  readonly kept: Told;
  /** What to tell each channel. */
  readonly says: ReadonlyMap<string, readonly Say[]>;
}

/** What is known when channels are compared. */
interface Known {
  readonly feed: NotifiedFeed;
  readonly now: number;
  /** The time of the last run. */
  readonly at: number;
  /** Whether the feed is recent enough to judge its mirrors. */
  readonly isCurrent: boolean;
  readonly nodes: ReadonlyMap<number, FeedNode>;
  /** For an event that is so or that cannot be judged: whether it cannot be judged. */
  readonly frozen: ReadonlyMap<string, boolean>;
}

type Verdict = "so" | "over" | "unknown";

/** A host name with several servers may show several certificates, but a mirror could also show a new one in each run. */
const certificatesKept = 4;

/** The events without an end, and how long their lines are kept. */
const endless: Partial<Record<EventName, number>> = { certificate: dayMs, rewritten: rewrittenMs };

/**
 * Compares what is so with what each channel was told. `servedAt` is the time of the run that the published site shows,
 * if known.
 */
export function differenceOf(feed: NotifiedFeed, now: number, servedAt?: number): Difference {
  const { run, notifications, rules, channels } = feed;
  const at = Date.parse(run.generated_at);
  const isCurrent = run.run !== "" && now <= Date.parse(run.expires_at);
  const conditions = [
    ...(isCurrent ? conditionsOf(feed) : []),
    ...(run.run === "" ? [] : feedConditions(feed, now, servedAt)),
  ];
  const nodes = new Map(nodesOf(targetsOf(feed.systems)).map((node) => [node.id, node]));
  const frozen = new Map(
    conditions.map(({ event, subject, node, isFrozen }) => [`${event} ${node?.id ?? subject}`, isFrozen]),
  );
  const judged = [...group(conditions.map((one) => [keyOf(one), one])).values()].filter((members) =>
    members.some(({ isFrozen }) => !isFrozen),
  );
  const wants = group(judged.flatMap((all) => [...wantsOf(rules, all, all[0].event === "feed" ? now : at)]));
  const before = Object.entries(notifications.lines);
  const told = group(before.map(([id, line]) => [line.channel, [id, line] as const]));
  const names = [...new Set([...wants.keys(), ...told.keys()])].sort();
  const comparisons = names
    .filter((name) => Object.hasOwn(channels, name))
    .map((name): [string, Comparison] => {
      const known = { feed, now, at, isCurrent, nodes, frozen };
      return [name, new Comparison(known, name, wants.get(name) ?? [], told.get(name) ?? [])];
    });
  const lines = Object.fromEntries(comparisons.flatMap(([, one]) => Object.entries(one.lines)));
  const isSame =
    before.length === Object.keys(lines).length && before.every(([id, line]) => lines[id] === line);
  const known = Object.entries(notifications.channels).filter(([name]) => Object.hasOwn(channels, name));
  return {
    kept: isSame ? notifications : { lines, channels: Object.fromEntries(known) },
    says: new Map(comparisons.map(([name, { says }]) => [name, says.sort(byUrgency)])),
  };
}

/** Connects a condition to the lines about it. */
function keyOf({ event, subject }: Pick<Condition, "event" | "subject">): string {
  return `${event} ${subject}`;
}

/** The comparison for one channel. */
class Comparison {
  /** The lines that remain. */
  readonly lines: Told["lines"] = {};
  readonly says: Say[] = [];
  readonly #known: Known;
  readonly #channel: string;
  readonly #wants: ReadonlyMap<string, Want>;
  readonly #linesByKey = new Map<string, Line[]>();
  /** The mirrors whose outage the channel knows. */
  readonly #offline = new Set<number>();
  /** The mirrors that the channel knows to be unstable. */
  readonly #unstable = new Set<number>();

  /** Unstable mirrors come first, because nothing else is said about their outages. */
  constructor(
    known: Known,
    channel: string,
    wants: readonly Want[],
    told: readonly (readonly [id: string, line: Line])[],
  ) {
    this.#known = known;
    this.#channel = channel;
    this.#wants = new Map(wants.map((want) => [keyOf(want.begun[0]), want]));
    for (const isFirst of [true, false]) {
      for (const [id, line] of told) if ((line.event === "unstable") === isFirst) this.#review(id, line);
      for (const want of wants) if ((want.begun[0].event === "unstable") === isFirst) this.#begin(want);
    }
  }

  #review(id: string, told: Line): void {
    const line = this.#joined(told);
    const verdict = isActive(line, this.#known.now) ? "unknown" : this.#judge(line);
    const phase = line.claim?.phase;
    // The channel may have got the end, so if the event is so again, it begins anew.
    if (verdict === "unwanted" || (verdict === "so" && phase === "end")) return;
    this.lines[id] = line;
    this.#linesByKey.set(keyOf(line), [...(this.#linesByKey.get(keyOf(line)) ?? []), line]);
    if (line.event === "offline") for (const node of line.nodes) this.#offline.add(node);
    if (verdict === "over") this.says.push({ phase: "end", id, line });
    else if (line.event === "unstable") this.#unstable.add(Number(line.subject));
    if (verdict === "so" && phase === "begin") this.says.push({ phase, id, line });
  }

  /** Adds to an outage the mirrors that share it since it was told. */
  #joined(line: Line): Line {
    const want = line.event === "offline" ? this.#wants.get(keyOf(line)) : undefined;
    if (want === undefined || !line.nodes.some((id) => want.outage.has(id))) return line;
    const wanted = want.begun.filter(({ node }) => this.#isWanted(line, node));
    const nodes = ascending([...line.nodes, ...this.#judged(wanted)]);
    return nodes.length === line.nodes.length ? line : { ...line, nodes };
  }

  /** Returns the ids of the mirrors whose event can be judged. */
  #judged(conditions: readonly Condition[]): number[] {
    return conditions.flatMap(({ event, node, isFrozen }) => {
      if (node === undefined || isFrozen || (event === "offline" && this.#unstable.has(node.id))) return [];
      return node.id;
    });
  }

  #judge(line: Line): Verdict | "unwanted" {
    const { at, nodes } = this.#known;
    const { event, until = 0 } = line;
    const concerned = event === "feed" ? [undefined] : line.nodes.flatMap((id) => nodes.get(id) ?? []);
    const wanted = concerned.filter((node) => this.#isWanted(line, node));
    const keptMs = endless[event];
    if (wanted.length === 0 || (keptMs !== undefined && at - until >= keptMs)) return "unwanted";
    const verdicts = wanted.map((node) => this.#verdictOn(line, node));
    if (verdicts.includes("so")) return "so";
    return keptMs !== undefined || verdicts.includes("unknown") ? "unknown" : "over";
  }

  /** Without a mirror, judges the feed. */
  #verdictOn({ event, subject, until }: Line, node: FeedNode | undefined): Verdict {
    const { isCurrent, frozen } = this.#known;
    const isFrozen = frozen.get(`${event} ${node?.id ?? subject}`);
    if (node !== undefined) {
      const isSilent = event === "offline" && this.#unstable.has(node.id);
      const isReplaced = event === "certificate" && Date.parse(node.tls_expires_at ?? "") !== until;
      if (!isCurrent || isSilent || isReplaced || node.maintenance !== undefined) return "unknown";
    }
    if (isFrozen === undefined) return "over";
    return isFrozen ? "unknown" : "so";
  }

  #isWanted({ event, since, restored }: Line, node: FeedNode | undefined): boolean {
    const { feed, at, now } = this.#known;
    // The clock of the machine that told it may be ahead.
    const lasted = (event === "feed" ? now + claimMs : at) - since;
    return rulesFor(feed.rules, event, this.#channel, node).some(
      (rule) => restored === true || event === "certificate" || lasted >= rule.afterMs(event),
    );
  }

  #begin({ begun: [condition], rule, due, since }: Want): void {
    const { event, subject, until, rewritten = [] } = condition;
    const nodes = ascending(this.#judged(due));
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
    this.says.push({ phase: "begin", id: undefined, line });
    if (line.event === "unstable") this.#unstable.add(Number(line.subject));
  }
}

function ascending(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((one, other) => one - other);
}

/** Outages and events about the feed come first, then what began first. */
function byUrgency({ line: one }: Say, { line: other }: Say): number {
  const canWait = ({ event }: Line): number => (event === "offline" || event === "feed" ? 0 : 1);
  return canWait(one) - canWait(other) || one.since - other.since || (keyOf(one) < keyOf(other) ? -1 : 1);
}
