import type { Freshness } from "../verdict/rank.ts";
import { type Comparison, type Difference, isRunning, type Lack, unreadRefs } from "./compare.ts";
import { placeOf } from "./ancestry-answers.ts";
import type { Clock, NodeContent } from "./content-schema.ts";
import type { Reference } from "./reference-schema.ts";
import { mainName, type Shown } from "./shown.ts";
import { dayMs } from "../base/text/duration.ts";

/** The part of a mirror's content that a comparison with the reference decides. */
export type Judgement = Pick<
  NodeContent,
  "freshness" | "behind" | "lacking" | "late" | "apart" | "apart_date" | "differs" | "own_tags"
>;

export interface JudgedRun {
  /** Epoch milliseconds. */
  readonly at: number;
  /** When the mirror was last seen before this run. */
  readonly lastSeen: number;
  readonly graceMs: number;
  /** False if the run did not see the reference, or the primary stands alone. Such a run accuses nobody. */
  readonly isLed: boolean;
  /** Whether the mirror has the content that it had before. */
  readonly isUnmoved: boolean;
  readonly reference: Reference;
  readonly shown: Shown;
}

/**
 * Judges a mirror that answered well (docs: status.md, "Freshness"). A mirror is behind since its oldest lack; it differs once a
 * ref has been apart for the grace, until it has the reference's content again.
 */
export function judge(before: NodeContent | undefined, comparison: Comparison, run: JudgedRun): Judgement {
  const { at, graceMs, isLed, reference, shown } = run;
  const { apart: foreign, unanswered, lacks, isProved, ownTags: own_tags } = comparison;
  const isMain = ({ name }: Difference): boolean => name === mainName(reference.branch);
  const behind = lackClock(before?.behind, lacks.filter(isMain), before, run);
  const others = lacks.filter((one) => !isMain(one));
  const isUnread = unanswered.some(({ name }) => name === unreadRefs);
  const lacking = isUnread ? before?.lacking : lackClock(before?.lacking, others, before, run);
  const apart = apartClock(before, comparison, run);
  const isActive = apart !== undefined && foreign.some(({ name }) => name === apart[1]);
  const becomes = isLed && isActive && at - apart[0] >= graceMs;
  const isOver = foreign.length + unanswered.length === 0 && isProved;
  const differed = before?.differs === true && !isOver;
  const since = behindSince({ behind, lacking });
  const lastedMs = since === undefined ? 0 : at - since;
  const isLate = lastedMs >= graceMs || (before?.late === true && lastedMs >= graceMs / 2);
  const isUnknown = foreign.length + unanswered.length + lacks.length > 0;
  const isSameClock = differed || apart === before?.apart;
  return {
    freshness:
      becomes || differed ? "differs" : since !== undefined ? "behind" : isUnknown ? "unknown" : "in_sync",
    behind,
    lacking,
    late: since !== undefined && isLate ? true : undefined,
    apart: isSameClock ? before?.apart : apart,
    apart_date: isSameClock ? before?.apart_date : apart && shown.date,
    differs: becomes || differed ? true : undefined,
    own_tags,
  };
}

/** Returns since when a mirror has been behind, in epoch milliseconds. */
export function behindSince({
  behind,
  lacking,
}: Pick<NodeContent, "behind" | "lacking">): number | undefined {
  const [since = Infinity] = behind ?? [];
  const [other = Infinity] = lacking ?? [];
  return behind === undefined && lacking === undefined ? undefined : Math.min(since, other);
}

/** Judges a primary that stands alone: it is behind since the first such run in a row. */
export function judgeAlone(
  before: NodeContent | undefined,
  { name, value }: Difference,
  { at, graceMs }: JudgedRun,
): Judgement {
  const behind = before?.behind ?? [at, name, value];
  return { freshness: "behind", behind, late: at - behind[0] >= graceMs ? true : undefined };
}

/** Returns the clock of the oldest lack. It never moves forward while the mirror stands still. */
function lackClock(
  former: Clock | undefined,
  lacks: readonly Lack[],
  before: NodeContent | undefined,
  { at, lastSeen, isLed, isUnmoved }: JudgedRun,
): Clock | undefined {
  const isFormer = ({ name, value }: Lack): boolean => former !== undefined && isRunning(former, name, value);
  if (!isLed) return lacks.some(isFormer) ? former : undefined;
  const clocks = lacks.map((lack): Clock => {
    const { name, value, since } = lack;
    if (former !== undefined && isFormer(lack)) return former;
    // A ref that seems to have been missing when the mirror was seen to have it was lost just now.
    const wasThere =
      before?.freshness !== undefined && (former === undefined ? since <= lastSeen : since < former[0]);
    return [value === "" && wasThere ? lastSeen : since, name, value];
  });
  const [oldest] = clocks.sort(([one], [other]) => one - other);
  if (oldest === undefined) return undefined;
  const since = isUnmoved && former !== undefined ? Math.min(former[0], oldest[0]) : oldest[0];
  return [Math.min(since, at), oldest[1], oldest[2]];
}

/** Returns the clock of one ref that is apart. */
function apartClock(
  before: NodeContent | undefined,
  comparison: Comparison,
  { at, isLed, reference }: JudgedRun,
): Clock | undefined {
  const former = before?.apart;
  const { apart, unanswered } = comparison;
  if (former !== undefined) {
    const [, name, value] = former;
    const has = (list: readonly Difference[]): boolean => list.some((one) => one.name === name);
    const isSame = apart.some((one) => isRunning(former, one.name, one.value));
    const isAhead =
      name === mainName(reference.branch) && !isReached(reference, before?.apart_date, name, value);
    if (isSame || (has(apart) && (isAhead || !isLed)) || has(unanswered)) return former;
  }
  const [first] = apart;
  return first === undefined || !isLed ? undefined : [at, first.name, first.value];
}

/** Whether the reference has had the content that started a clock, or has newer content. */
function isReached(reference: Reference, date: number | undefined, name: string, value: string): boolean {
  const newest = reference.versions.at(-1);
  return (
    reference.versions.some((one) => one.value === value) ||
    (date !== undefined && newest?.date !== undefined && newest.date >= date) ||
    placeOf(reference, undefined, name, value).isPast === true
  );
}

/** Problems that make a mirror differ even if it has the reference's revision. */
export const incomplete: ReadonlySet<string | undefined> = new Set([
  "missing_file",
  "wrong_size",
  "half_synced",
]);

/** Without a good answer for this long, nothing is known about a mirror's content. But `differs` stays. */
const knownForMs = dayMs;

/** Returns a mirror's freshness at a time (epoch milliseconds). */
export function freshnessAt(content: NodeContent | undefined, at: number): Freshness {
  const { freshness = "unknown", unseen_since = at, content_code } = content ?? {};
  if (freshness === "in_sync" && incomplete.has(content_code)) return "differs";
  return freshness !== "differs" && at - unseen_since >= knownForMs ? "unknown" : freshness;
}
