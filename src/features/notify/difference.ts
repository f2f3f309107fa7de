import type { EventName, NotifyRule } from "../../core/config/notify-rules.ts";
import { dayMs } from "../../core/base/text/time.ts";
import { group } from "../../core/base/text/group.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { type Condition, conditionsOf, feedConditions } from "./conditions.ts";
import { dueAt, rulesFor, type Want, wantsOf } from "./rules.ts";
import {
  claimMs,
  idOf,
  lastTold,
  type Line,
  type NotifiedFeed,
  type Phase,
  rewrittenMs,
  type Told,
} from "./told.ts";

/** Something to tell a channel. */
export interface Say {
  readonly phase: Phase;
  readonly id: string;
  readonly line: Line;
}

export interface Difference {
  /** What remains without telling anybody anything. */
  readonly kept: Told;
  readonly says: ReadonlyMap<string, readonly Say[]>;
}

/** The events without an end, and how long their lines are kept after the expiry, or after they were told. */
const endless: Partial<Record<EventName, number>> = { certificate: dayMs, rewritten: rewrittenMs };

/**
 * Compares what is so with what each channel was told. `servedAt` is the time of the run that the published site shows,
 * if known.
 */
export function differenceOf(feed: NotifiedFeed, now: number, servedAt?: number): Difference {
  const { notifications, channels } = feed;
  const known = knownOf(feed, now, servedAt);
  const names = Object.keys(channels).sort();
  const comparisons = names.map((name) => new Comparison(known, name));
  const configured = Object.entries(notifications.channels).filter(([name]) => Object.hasOwn(channels, name));
  return {
    kept: {
      lines: Object.fromEntries(comparisons.flatMap(({ lines }) => Object.entries(lines))),
      channels: Object.fromEntries(configured),
    },
    says: new Map(comparisons.map(({ channel, says }) => [channel, says.sort(byUrgency)])),
  };
}

type Known = Readonly<ReturnType<typeof knownOf>>;

function knownOf(feed: NotifiedFeed, now: number, servedAt: number | undefined) {
  const { run, systems, rules, notifications } = feed;
  /** Whether the feed is recent enough to judge its mirrors. */
  const isCurrent = now <= Date.parse(run.expires_at);
  const conditions = [...(isCurrent ? conditionsOf(feed) : []), ...feedConditions(feed, now, servedAt)];
  const lasting = conditions.filter(({ to }) => to === undefined);
  const judged = [...group(conditions.map((one) => [keyOf(one), one])).values()].filter((members) =>
    members.some(({ isFrozen }) => !isFrozen),
  );
  return {
    rules,
    now,
    /** The time of the last run. */
    at: Date.parse(run.generated_at),
    isCurrent,
    nodes: new Map(nodesOf(targetsOf(systems)).map((node) => [node.id, node])),
    /** For an event that is so or that cannot be judged: whether it cannot be judged. */
    frozen: new Map(
      lasting.map(({ event, subject, node, isFrozen }) => [`${event} ${node?.id ?? subject}`, isFrozen]),
    ),
    /** By channel. */
    wants: group(judged.flatMap((members) => wantsOf(rules, members))),
    /** By channel. */
    told: group(Object.entries(notifications.lines).map((entry) => [entry[1].channel, entry])),
  };
}

/** Connects a condition to the lines about it. */
function keyOf({ event, subject }: Pick<Condition, "event" | "subject">): string {
  return `${event} ${subject}`;
}

class Comparison {
  /** The lines that remain. */
  readonly lines: Told["lines"] = {};
  readonly says: Say[] = [];
  readonly channel: string;
  readonly #known: Known;
  readonly #wants: ReadonlyMap<string, Want>;
  /** What the channel knows to be so: each event with its subject, and with each of its mirrors. */
  readonly #told = new Set<string>();

  /** Unstable mirrors come first, because nothing else is said about their outages. */
  constructor(known: Known, channel: string) {
    this.#known = known;
    this.channel = channel;
    const wants = known.wants.get(channel) ?? [];
    const told = known.told.get(channel) ?? [];
    this.#wants = new Map(wants.map((want) => [keyOf(want), want]));
    for (const isFirst of [true, false]) {
      for (const [id, line] of told) if ((line.event === "unstable") === isFirst) this.#review(id, line);
      for (const want of wants) if ((want.event === "unstable") === isFirst) this.#begin(want);
    }
  }

  #review(id: string, told: Line): void {
    const line = this.#joined(told);
    const { now } = this.#known;
    const { phase, until = now } = line.claim ?? {};
    // A claim that lasts longer was made while a clock was wrong.
    const isBeingTold = until > now && until <= now + 2 * claimMs;
    const verdict = isBeingTold ? "unknown" : this.#judge(line);
    // The channel may have got the end, so if the event is so again, it begins anew.
    if (verdict === "unwanted" || (verdict === "so" && phase === "end")) return;
    this.lines[id] = line;
    if (verdict === "over") this.says.push({ phase: "end", id, line });
    else this.#know(line);
    if (verdict === "so" && phase === "begin") this.says.push({ phase, id, line });
  }

  #know({ event, subject, nodes }: Line): void {
    for (const about of [subject, ...nodes]) this.#told.add(`${event} ${about}`);
  }

  /** Adds the mirrors that share an event since it was told. */
  #joined(line: Line): Line {
    const want = this.#wants.get(keyOf(line));
    if (want === undefined || !line.nodes.some((id) => want.outage.has(id))) return line;
    const wanted = want.lasting.filter(({ node }) => this.#isWanted(line, node));
    return { ...line, nodes: ascending([...line.nodes, ...this.#mirrorsOf(wanted)]) };
  }

  #mirrorsOf(conditions: readonly Condition[]): number[] {
    return conditions.flatMap(({ event, node }) =>
      node === undefined || this.#isSilent(event, node) ? [] : node.id,
    );
  }

  /** Nothing is said about single outages of a mirror that the channel knows to be unstable. */
  #isSilent(event: EventName, node: FeedNode): boolean {
    return event === "offline" && this.#told.has(`unstable ${node.id}`);
  }

  #judge(line: Line) {
    const { at, nodes } = this.#known;
    const { event, since } = line;
    const concerned = event === "feed" ? [undefined] : line.nodes.flatMap((id) => nodes.get(id) ?? []);
    const wanted = concerned.filter((node) => this.#isWanted(line, node));
    const keptMs = endless[event];
    if (wanted.length === 0 || (keptMs !== undefined && at - since >= keptMs)) return "unwanted";
    const verdicts = wanted.map((node) => this.#verdictOn(line, node));
    if (verdicts.includes("so")) return "so";
    return keptMs !== undefined || verdicts.includes("unknown") ? "unknown" : "over";
  }

  /** Without a mirror, judges the feed. */
  #verdictOn({ event, subject, since }: Line, node: FeedNode | undefined) {
    const { isCurrent, frozen } = this.#known;
    if (node !== undefined) {
      const isReplaced = event === "certificate" && Date.parse(node.tls_expires_at ?? "") !== since;
      const isPaused = !isCurrent || node.maintenance !== undefined;
      if (isPaused || isReplaced || this.#isSilent(event, node)) return "unknown";
    }
    const isFrozen = frozen.get(`${event} ${node?.id ?? subject}`);
    if (isFrozen === undefined) return "over";
    return isFrozen ? "unknown" : "so";
  }

  #isWanted({ event, since, restored }: Line, node: FeedNode | undefined): boolean {
    const { rules, now } = this.#known;
    // The clock of the machine that told it may be ahead.
    return rulesFor(rules, event, this.channel, node).some(
      (rule) => restored === true || this.#isDue(rule, event, since, now + claimMs),
    );
  }

  #isDue(rule: NotifyRule, event: EventName, since: number, now = this.#known.now): boolean {
    return dueAt(rule, event, since) <= (event === "feed" ? now : this.#known.at);
  }

  #begin({ event, subject, since, lasting }: Want): void {
    const due = lasting.filter(({ rule }) => this.#isDue(rule, event, since));
    const [first] = due;
    if (first === undefined) return;
    const nodes = ascending(this.#mirrorsOf(due));
    const line = { channel: this.channel, event, subject, nodes, since, rule: first.rule.name };
    const news = nodes.filter((id) => !this.#told.has(`${event} ${id}`));
    if (event === "rewritten") this.#beginRewritten(line);
    else if (news.length > 0 || (event === "feed" && !this.#told.has(keyOf(line))))
      this.#say({ ...line, nodes: news });
  }

  /** Tells of tags that were rewritten after the channel was last told, once a day. */
  #beginRewritten(line: Line): void {
    const { at } = this.#known;
    const last = lastTold(this.lines, { ...line, since: at });
    if (line.nodes.length > 0 && line.since > last && at - last >= dayMs) this.#say({ ...line, since: at });
  }

  #say(line: Line): void {
    this.says.push({ phase: "begin", id: idOf([line, this.#known.now]), line });
    this.#know(line);
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
