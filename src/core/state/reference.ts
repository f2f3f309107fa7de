import { group } from "../base/text/group.ts";
import type { ContentIndex } from "../kinds/mirror-content.ts";
import type { RefSet } from "../probe/ref-set.ts";
import { movesKept, type Reference, rewrittenKept, type Version, versionsKept } from "./reference-schema.ts";
import { keptId, mainName, type Shown, valueOf } from "./shown.ts";

/** What the reference shows in a run. */
export interface Lead extends Pick<Shown, "branch" | "refs" | "hasTooMany" | "date" | "index"> {
  /** The value of the branch. Undefined while HEAD names a branch without commits. */
  readonly main: string | undefined;
}

/**
 * Returns what the primary shows. Without a primary, each name has the value that more than half of the target's
 * `size` mirrors share; a ref without a majority keeps its value. Returns undefined if this run did not see the
 * reference.
 */
export function leadOf(
  shown: ReadonlyMap<number, Shown>,
  { primary, size }: { readonly primary: number | undefined; readonly size: number },
  known: Reference | undefined,
): Lead | undefined {
  if (primary !== undefined) {
    const own = shown.get(primary);
    const isComparable = own !== undefined && (own.revision ?? own.refs) !== undefined;
    return isComparable ? { ...own, main: own.revision } : undefined;
  }
  const all = [...shown.values()];
  const shared = <Value>(values: readonly Value[]): Value | undefined =>
    [...group(values.map((value) => [value, value] as const)).values()].find(
      ({ length }) => length * 2 > size,
    )?.[0];
  const branch = shared(all.flatMap((one) => (one.revision === undefined ? [] : one.branch)));
  const name = mainName(branch ?? known?.branch ?? "");
  const main = shared(all.flatMap((one) => valueOf(one, name) || []));
  const example = all.find((one) => valueOf(one, name) === main);
  if (main === undefined || example === undefined) return undefined;
  const lists = all.flatMap(({ refs }) => refs ?? []);
  const former = new Map(Object.entries(known?.refs ?? {}));
  const names = new Set([...former.keys(), ...lists.flatMap((refs) => [...refs.keys()])]);
  const refs = [...names].flatMap((one): [string, string][] => {
    const value = shared(lists.map((list) => list.get(one) ?? "")) ?? former.get(one) ?? "";
    return value === "" ? [] : [[one, value]];
  });
  const isListed = lists.length * 2 > size;
  return {
    ...example,
    branch: branch ?? known?.branch ?? "",
    main,
    refs: isListed ? new Map(refs) : undefined,
  };
}

/**
 * Returns the reference after a run at `at` (epoch milliseconds). `refsOf` identifies the primary and the compared
 * refs. If it changes, the history of refs starts over.
 */
export function moveReference(
  reference: Reference | undefined,
  lead: Lead,
  at: number,
  refsOf: string,
): Reference {
  const before = reference && reference.branch !== lead.branch ? renamed(reference, lead, at) : reference;
  const { branch, main } = lead;
  const versions = main === undefined ? [] : withVersion(before?.versions ?? [], { ...lead, main }, at);
  // A reference that has grown past the limit is compared by its branch alone.
  const known = before?.refs_of === refsOf && !lead.hasTooMany ? before : undefined;
  const { answers, rewritten } = before ?? {};
  const refs = refsAfter(known, lead.refs, mainName(branch), at);
  return { branch, versions, answers, rewritten, ...refs, refs_of: refsOf };
}

/** Content of this many newest versions can be described in lists. */
const indexesKept = 8;

function withVersion(
  before: readonly Version[],
  { main, date, index }: { main: string; date: number | undefined; index: ContentIndex | undefined },
  at: number,
): Version[] {
  const newest = before.at(-1);
  if (newest?.value === main) return [...before.slice(0, -1), { ...newest, index: index ?? newest.index }];
  const older = before.map((one, position): Version => {
    if (one.index === undefined) return one;
    const { size, sha256, sha512 } = one.index;
    const described = {
      ...(size !== undefined && { size }),
      ...(sha256 !== undefined && { sha256 }),
      ...(sha512 !== undefined && { sha512 }),
    };
    return { ...one, index: before.length - position < indexesKept ? described : undefined };
  });
  return thinned([...older, { value: main, since: at, date, index }], at);
}

/**
 * Drops the version whose removal leaves the smallest gap for its age, but never the oldest or one of the two newest.
 */
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
  const own = moves.findLast(([, moved]) => moved === name);
  const isKnown = lead.main !== undefined && refs[name] === keptId(lead.main);
  const since = isKnown ? (own?.[0] ?? known_from) : at;
  const isGit = former !== "HEAD" && name !== "HEAD";
  const { taken, value: newest } = versions.at(-1) ?? {};
  const { main: value, date, index } = lead;
  const main =
    value === undefined ? [] : [{ value, since, date, taken: value === newest ? taken : undefined, index }];
  return {
    ...reference,
    branch: lead.branch,
    versions: main,
    ...(isGit &&
      limited(
        [...moves, ...past].sort(([one], [other]) => one - other),
        known_from,
      )),
  };
}

type Move = NonNullable<Reference["moves"]>[number];

/** Drops the oldest moves. Nothing is known any more about the time before them. */
function limited(
  moves: readonly Move[],
  known_from: number,
): { readonly moves: Move[]; readonly known_from: number } {
  const dropped = moves.slice(0, -movesKept).at(-1)?.[0] ?? 0;
  return { moves: moves.slice(-movesKept), known_from: Math.max(known_from, dropped) };
}

function refsAfter(
  before: Reference | undefined,
  refs: RefSet | undefined,
  main: string,
  at: number,
): Partial<Reference> {
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
