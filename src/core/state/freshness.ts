import { dayMs } from "../base/text/time.ts";
import type { Freshness } from "../verdict/rank.ts";
import { type Comparison, type Difference, isRunning, type Judged, unreadRefs } from "./compare.ts";
import type { Clock, NodeContent, Reference } from "./content-schema.ts";
import { verdictOn } from "./reference.ts";
import { mainName } from "./shown.ts";

/**
 * Judges a mirror that answered well (docs: status.md, "Freshness"). A mirror is behind since its oldest lack; it
 * differs once a ref has been apart for the grace, until it has the reference's content again.
 */
export function judge(judged: Judged, { differences, own_tags }: Comparison): NodeContent {
  const { before, at, graceMs, isLed, reference, shown } = judged;
  const main = mainName(reference.branch);
  const isMain = ({ name }: Difference): boolean => name === main;
  const behind = lackClock(before?.behind, differences.filter(isMain), judged);
  const others = differences.filter((one) => !isMain(one));
  const isUnread = differences.some(({ name }) => name === unreadRefs);
  const lacking = isUnread ? before?.lacking : lackClock(before?.lacking, others, judged);
  const apart = apartClock(judged, differences);
  const isActive = differences.some(({ name, is }) => is === "apart" && name === apart?.[1]);
  const becomes = isLed && isActive && apart !== undefined && at - apart[0] >= graceMs;
  const isOver = differences.every((one) => one.is === "behind" && one.isProved);
  const differed = before?.differs === true && !isOver;
  const since = behindSince({ behind, lacking });
  const lastedMs = since === undefined ? 0 : at - since;
  const isLate = lastedMs >= graceMs || (before?.late === true && lastedMs >= graceMs / 2);
  const isSameClock = differed || apart === before?.apart;
  const other = differences.length > 0 ? "unknown" : "in_sync";
  return {
    freshness: becomes || differed ? "differs" : since === undefined ? other : "behind",
    behind,
    lacking,
    late: since !== undefined && isLate ? true : undefined,
    apart: isSameClock ? before?.apart : apart,
    apart_date: isSameClock ? before?.apart_date : apart && shown.date,
    differs: becomes || differed ? true : undefined,
    own_tags,
  };
}

/** Judges a primary that stands alone: it has been behind since the first such run in a row. */
export function judgeAlone({ before, at, graceMs }: Judged, name: string, value: string): NodeContent {
  const behind = before?.behind ?? [at, name, value];
  return { freshness: "behind", behind, late: at - behind[0] >= graceMs ? true : undefined };
}

/** Returns since when a mirror has been behind, in epoch milliseconds. */
export function behindSince({ behind, lacking }: NodeContent): number | undefined {
  const times = [behind, lacking].flatMap((clock) => clock?.[0] ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Returns the clock of the oldest lack. It never moves forward while the mirror stands still. */
function lackClock(
  former: Clock | undefined,
  differences: readonly Difference[],
  { at, before, lastSeen, isLed, isUnmoved }: Judged,
): Clock | undefined {
  const clocks = differences.flatMap((one): Clock[] => {
    if (one.is !== "behind") return [];
    const { name, value, since } = one;
    if (former !== undefined && isRunning(former, name, value)) return [former];
    // A ref that seems to have been missing when the mirror was seen to have it was lost just now.
    const wasThere =
      before?.freshness !== undefined && (former === undefined ? since <= lastSeen : since < former[0]);
    return [[value === "" && wasThere ? lastSeen : since, name, value]];
  });
  if (!isLed) return clocks.find((clock) => clock === former);
  const [oldest] = clocks.sort(([one], [other]) => one - other);
  if (oldest === undefined) return undefined;
  const since = isUnmoved && former !== undefined ? Math.min(former[0], oldest[0]) : oldest[0];
  return [Math.min(since, at), oldest[1], oldest[2]];
}

/** Returns the clock of one ref that is apart. */
function apartClock(
  { before, at, isLed, reference }: Judged,
  differences: readonly Difference[],
): Clock | undefined {
  const former = before?.apart;
  if (former !== undefined) {
    const [, name, value] = former;
    const isAhead =
      name === mainName(reference.branch) && !isReached(reference, before?.apart_date, name, value);
    const goesOn = differences.some(
      (one) =>
        one.name === name &&
        (one.is === "unanswered" || (one.is === "apart" && (one.value === value || isAhead || !isLed))),
    );
    if (goesOn) return former;
  }
  const first = differences.find(({ is }) => is === "apart");
  return first === undefined || !isLed ? undefined : [at, first.name, first.value];
}

/** Whether the reference has had the content that started a clock, or has newer content. */
function isReached(reference: Reference, date: number | undefined, name: string, value: string): boolean {
  const newest = reference.versions.at(-1);
  return (
    reference.versions.some((one) => one.value === value) ||
    (date !== undefined && newest?.date !== undefined && newest.date >= date) ||
    verdictOn(reference, name, value) === "past"
  );
}

/** Problems that make a mirror differ even if it has the reference's revision. */
export const incomplete = new Set<string | undefined>(["missing_file", "wrong_size", "half_synced"]);

/** Returns a mirror's freshness at a time. It is unknown after a day without a good answer, but `differs` stays. */
export function freshnessAt(content: NodeContent | undefined, at: number): Freshness {
  const { freshness = "unknown", unseen_since = at, content_code } = content ?? {};
  if (freshness === "in_sync" && incomplete.has(content_code)) return "differs";
  return freshness !== "differs" && at - unseen_since >= dayMs ? "unknown" : freshness;
}
