import type { History } from "../probe/observation.ts";
import type { RefSet } from "../probe/ref-set.ts";
import {
  answersKept,
  type Move,
  movesKept,
  type NodeContent,
  type Reference,
  rewrittenKept,
  type Version,
  versionsKept,
} from "./content-schema.ts";
import { keptId, mainName, type Shown, valueOf } from "./shown.ts";

/** What the reference shows in a run. */
export interface Lead extends Pick<Shown, "branch" | "refs" | "hasTooMany" | "date" | "index"> {
  /** The value of the branch. Undefined while HEAD names a branch without commits. */
  readonly main: string | undefined;
}

/** `refsOf` identifies the primary and the compared refs. If it changes, the history of refs starts over. */
export function moveReference(reference: Reference | undefined, lead: Lead, at: number, refsOf: string) {
  const before = reference && reference.branch !== lead.branch ? renamed(reference, lead, at) : reference;
  const { branch, main, date, index } = lead;
  const versions =
    main === undefined ? [] : withVersion(before?.versions ?? [], { value: main, since: at, date, index });
  // A reference that has grown past the limit is compared by its branch alone.
  const known = before?.refs_of === refsOf && !lead.hasTooMany ? before : undefined;
  const { answers, rewritten } = before ?? {};
  const refs = refsAfter(known, lead.refs, mainName(branch), at);
  return { branch, versions, answers, rewritten, ...refs, refs_of: refsOf };
}

/** Content of this many newest versions can be described in lists. */
const indexesKept = 8;

function withVersion(before: readonly Version[], version: Version): Version[] {
  const { value, since, index } = version;
  const newest = before.at(-1);
  if (newest?.value === value) return [...before.slice(0, -1), { ...newest, index: index ?? newest.index }];
  const older = before.map((one, position): Version => {
    if (one.index === undefined) return one;
    const { files: _files, turn: _turn, ...described } = one.index;
    return { ...one, index: before.length - position < indexesKept ? described : undefined };
  });
  return thinned([...older, version], since);
}

/** Drops the version that leaves the smallest gap for its age, but never the oldest or one of the two newest. */
function thinned(versions: Version[], at: number): Version[] {
  if (versions.length <= versionsKept) return versions;
  const costs = versions.slice(1, -2).map(({ since }, index) => {
    const gap = (versions[index + 2]?.since ?? at) - (versions[index]?.since ?? 0);
    return gap / Math.max(1, at - since);
  });
  return versions.toSpliced(costs.indexOf(Math.min(...costs)) + 1, 1);
}

/** Once HEAD names another branch, its versions start over, and those of the former branch become moves. */
function renamed(reference: Reference, lead: Lead, at: number): Reference {
  const { branch, versions, refs = {}, moves = [], known_from = at } = reference;
  const name = mainName(lead.branch);
  const former = mainName(branch);
  const past = versions.slice(1).map((version, index): Move => {
    const older = versions[index]?.value ?? "";
    return [version.since, former, keptId(older), keptId(version.value)];
  });
  const all = [...moves, ...past].sort(([one], [other]) => one - other);
  const own = moves.findLast(([, moved]) => moved === name);
  const isKnown = lead.main !== undefined && refs[name] === keptId(lead.main);
  const since = isKnown ? (own?.[0] ?? known_from) : at;
  const isGit = former !== "HEAD" && name !== "HEAD";
  const { taken, value: newest } = versions.at(-1) ?? {};
  const { main: value, date, index } = lead;
  const main =
    value === undefined ? [] : [{ value, since, date, index, taken: value === newest ? taken : undefined }];
  return {
    ...reference,
    branch: lead.branch,
    versions: main,
    ...(isGit && limited(all, known_from)),
  };
}

/** Drops the oldest moves. Nothing is known any more about the time before them. */
function limited(moves: readonly Move[], known_from: number) {
  const dropped = moves.slice(0, -movesKept).at(-1)?.[0] ?? 0;
  return { moves: moves.slice(-movesKept), known_from: Math.max(known_from, dropped) };
}

function refsAfter(before: Reference | undefined, refs: RefSet | undefined, main: string, at: number) {
  const { refs: former, moves = [], known_from } = before ?? {};
  if (refs === undefined) return { refs: former, moves: before?.moves, known_from };
  const ids = new Map([...refs].flatMap(([name, id]) => (name === "HEAD" ? [] : [[name, keptId(id)]])));
  const all = { refs: Object.fromEntries(ids) };
  if (former === undefined) return { ...all, known_from: at };
  const names = [...new Set([...Object.keys(former), ...ids.keys()])].filter((name) => name !== main);
  const changed = names.flatMap((name): Move[] => {
    const [from, to] = [former[name] ?? "", ids.get(name) ?? ""];
    return from === to ? [] : [[at, name, from, to]];
  });
  // A tag should neither move nor vanish.
  const tags = changed.filter(([, name, from]) => from !== "" && name.startsWith("refs/tags/"));
  return {
    ...all,
    ...limited([...moves, ...changed], known_from ?? at),
    ...(tags.length > 0 && { rewritten: [...(before?.rewritten ?? []), ...tags].slice(-rewrittenKept) }),
  };
}

/** Returns when the reference last left a value of a ref. If the value is empty, that is when the ref appeared. */
export function leftAt({ moves = [] }: Reference, name: string, value: string): number | undefined {
  const kept = keptId(value);
  return moves.findLast(([, moved, from]) => moved === name && from === kept)?.[0];
}

/** The reference's newest commit of a branch. */
export function tipOf({ branch, versions, refs }: Reference, name: string): string | undefined {
  return name === mainName(branch) ? versions.at(-1)?.value : refs?.[name];
}

type Answer = NonNullable<Reference["answers"]>[number];

/** Returns what the servers said about a commit, or undefined if nobody answered. */
export function verdictOn({ answers = [] }: Reference, name: string, id: string): Answer[2] | undefined {
  const kept = keptId(id);
  return answers.findLast(([one, other]) => one === name && other === kept)?.[2];
}

/** Returns the answers to remember. A "no" holds only until the reference moves on. */
export function answersAfter(reference: Reference, history: History[string] = {}): Reference["answers"] {
  const { answers = [] } = reference;
  const fresh = Object.entries(history).flatMap(([name, commits]) => {
    const tip = keptId(tipOf(reference, name) ?? "");
    return Object.entries(commits).flatMap(([id, { past, contains = [] }]): Answer[] => {
      const isNewer = contains.some((one) => keptId(one) === tip);
      if (tip === "" || (past === undefined && !isNewer)) return [];
      return [[name, keptId(id), past === true ? "past" : isNewer ? "newer" : "apart", tip]];
    });
  });
  const old = answers.filter(([name, id, verdict, tip]) => {
    const isReplaced = fresh.some(([one, other]) => one === name && other === id);
    return !isReplaced && (verdict === "past" || tip === keptId(tipOf(reference, name) ?? ""));
  });
  return old.length + fresh.length === 0 ? undefined : [...old, ...fresh].slice(-answersKept);
}

/** Marks the versions that mirrors have just taken: those they moved to, or had when they were first seen. */
export function withTaken(
  reference: Reference,
  others: readonly { readonly shown: Shown; readonly before: NodeContent | undefined }[],
): Reference {
  const { branch, versions } = reference;
  const taken = new Set(
    others.flatMap(({ shown, before }) => {
      const value = valueOf(shown, mainName(branch));
      if (value === undefined || value === (before?.main ?? before?.revision)) return [];
      // Content that the reference has had twice is taken in its newest version.
      return versions.findLastIndex((one) => one.value === value);
    }),
  );
  return {
    ...reference,
    versions: versions.map((one, index) => (taken.has(index) ? { ...one, taken: true } : one)),
  };
}
