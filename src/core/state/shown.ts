import { hash } from "node:crypto";
import { byFrequency } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import { evidence } from "../kinds/kinds.ts";
import { defaultRefs, matchesPattern, type RefPatterns, refsOption } from "../kinds/git-refs.ts";
import type { Observation } from "../probe/observation.ts";
import type { RefSet } from "../probe/ref-set.ts";
import type { Round } from "./round.ts";

/** A mirror's content in a run, as most locations saw it. */
export type Shown = Readonly<ReturnType<typeof shownIn>>;

/** Returns the best observation of a mirror that answered well: one that most locations agree on. */
export function prevailing(seen: readonly Observation[]): Observation | undefined {
  const good = seen.filter(({ code }) => evidence(code) === 1);
  if (good.length < 2) return good[0];
  const contentOf = ({ revision, branch, refs, content_code }: Observation): string =>
    JSON.stringify([revision, branch, refs, content_code]);
  // The first location breaks a tie.
  const [commonest] = byFrequency(good.map(contentOf));
  return good.find((one) => contentOf(one) === commonest?.[0]);
}

/** `at` is the time of the run. A date in the future counts as that time, because anyone can claim one. */
export function shownIn(good: Observation, node: Node, sets: Round["refs"], at: number) {
  const { revision, branch = "", refs, refs_unread, content_at, index } = good;
  const patterns = patternsOf(node);
  return {
    /** What HEAD names. */
    revision,
    /** The branch that HEAD names, without `refs/heads/`. Empty if there is none. */
    branch,
    /** The refs with their ids, including HEAD. Undefined if they are not compared, or could not be read. */
    refs: refs === undefined ? undefined : withKeptNames(sets?.get(refs)),
    /** Whether the mirror has too many refs to compare them. */
    hasTooMany: refs_unread === "too_many",
    /** Whether `refs` would have this ref if the mirror did. */
    lists: (name: string) => patterns === "HEAD" || patterns.some((pattern) => matchesPattern(name, pattern)),
    /** When the content was made, in epoch milliseconds. */
    date: content_at === undefined ? undefined : Math.min(Date.parse(content_at), at),
    index,
  };
}

/** In bytes. A longer name is kept as its beginning and a digest, so that no mirror can fill the state. */
const maxName = 120;

function withKeptNames(refs: RefSet | undefined): RefSet | undefined {
  const isLong = (name: string): boolean => Buffer.byteLength(name) > maxName;
  if (refs === undefined || ![...refs.keys()].some(isLong)) return refs;
  const kept = (name: string): string => `${name.slice(0, 32)}…${hash("sha256", name).slice(0, 16)}`;
  return new Map([...refs].map(([name, id]) => [isLong(name) ? kept(name) : name, id]));
}

export function patternsOf({ settings }: Node): RefPatterns {
  const { refs } = settings.options;
  return refs === undefined ? defaultRefs : refsOption.parse(refs);
}

/** Returns the full name of a branch, or HEAD for content without a branch. */
export function mainName(branch: string): string {
  return branch === "" ? "HEAD" : `refs/heads/${branch}`;
}

/** Returns a mirror's value of a ref. Empty if the mirror lacks it, and undefined if that is unknown. */
export function valueOf(shown: Shown, name: string): string | undefined {
  if (name === "HEAD" || name === mainName(shown.branch)) return shown.revision;
  const listed = shown.refs?.get(name);
  return listed ?? (shown.refs !== undefined && shown.lists(name) ? "" : undefined);
}

/** Shortens an object id: 40 bits are enough to tell apart the objects of one ref. Other revisions are opaque text. */
export function keptId(id: string): string {
  return id.slice(0, 10);
}
