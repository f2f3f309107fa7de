import { group } from "../../core/base/text/group.ts";
import { nodesOf, targetsOf } from "../../core/feed/feed.ts";
import { Comparison, type Difference, keyOf, type Known } from "./comparison.ts";
import { conditionsOf, feedConditions } from "./conditions.ts";
import type { NotifiedFeed } from "./notified-feed.ts";
import { wantsOf } from "./rules.ts";
import { idOf, type Line, nothingTold, type Told } from "./told.ts";

export const noDifference: Difference = { lines: {}, says: [] };

/**
 * Compares what is so with what each channel was told, and returns the differences by channel. `servedAt` is the time
 * of the run that the published site shows, if known.
 */
export function differencesOf(feed: NotifiedFeed, now: number, servedAt?: number): Map<string, Difference> {
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
  };
  const judged = conditions.filter(({ nodes }) => nodes.some(({ isFrozen }) => !isFrozen));
  const wants = group(judged.flatMap((one) => [...wantsOf(rules, one, one.event === "feed" ? now : at)]));
  const lines = group(
    Object.entries(notifications.lines).map(([id, line]) => [line.channel, [id, line] as const]),
  );
  const names = [...new Set([...wants.keys(), ...lines.keys()])].sort();
  return new Map(
    names.map((name) => [
      name,
      Object.hasOwn(feed.channels, name)
        ? new Comparison(known, name, wants.get(name) ?? []).compare(lines.get(name) ?? [])
        : noDifference,
    ]),
  );
}

/** Returns the lines that remain without telling anybody anything, and whether they differ from the stored ones. */
export function linesAfter(
  { notifications = nothingTold, channels: named }: NotifiedFeed,
  differences: ReadonlyMap<string, Difference>,
): { readonly told: Told; readonly isChanged: boolean } {
  const lines = Object.fromEntries([...differences.values()].flatMap((one) => Object.entries(one.lines)));
  const known = Object.entries(notifications.lines);
  const isChanged =
    known.length !== Object.keys(lines).length || known.some(([id, line]) => lines[id] !== line);
  const channels = Object.entries(notifications.channels).filter(([name]) => Object.hasOwn(named, name));
  return { told: { lines, channels: Object.fromEntries(channels) }, isChanged };
}

/**
 * Returns what the channels count as told after the first run with a restored state. The state that was lost may have
 * told about all that is so now, whatever the delays of the rules.
 */
export function toldAfterRestoring(feed: NotifiedFeed): Told | undefined {
  const { notifications = nothingTold, run } = feed;
  const rules = feed.rules.map((rule) => ({ ...rule, afterMs: () => 0 }));
  const differences = differencesOf({ ...feed, rules }, Date.parse(run.generated_at));
  const lines = [...differences.values()].flatMap(({ lines: kept, says }) => {
    const ended = new Set(says.flatMap(({ phase, id }) => (phase === "end" ? id : [])));
    return [
      ...Object.entries(kept).filter(([id]) => !ended.has(id)),
      ...says.flatMap(({ id, line }) => (id === undefined ? [[idOf([line, run.run]), line] as const] : [])),
    ];
  });
  const told = lines.map(([id, line]): [string, Line] => {
    return [id, { ...line, claim: undefined, restored: true }];
  });
  const isEmpty = told.length === 0 && Object.keys(notifications.channels).length === 0;
  return isEmpty ? undefined : { ...notifications, lines: Object.fromEntries(told) };
}
