import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { History, Observation } from "../../../src/core/probe/observation.ts";
import { formatRefSet, refSetDigest, type RefSet } from "../../../src/core/probe/ref-set.ts";
import { nodesOf, resolveState, targetsOf } from "../../../src/core/feed/feed.ts";
import type { State } from "../../../src/core/state/state-schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../../support/rounds.ts";
import { formatState, parseState } from "../../support/stored.ts";

const start = Date.parse("2026-01-01T00:00:00Z");
const hourMs = 3_600_000;

/** What a mirror shows: its refs, the branch that HEAD names, and an hour that dates its content. */
interface Shown {
  readonly refs: RefSet;
  readonly head: string;
  readonly date: number | undefined;
  /** Why the other refs could not be read. */
  readonly unread: Observation["refs_unread"];
}

/**
 * Reads a history such as `0: A @-50 | A v1=T; 5,6: B @5 | -`: the hours of runs, then what each mirror shows. `B` is
 * the value of `main`, `v1=T` a tag, `f=F` another branch, `^trunk` another HEAD, `HEAD=A` a detached one, `@5` the hour
 * that the content was made, `unread` and `too_many` tell that no refs were read, and `-` an answer that proves nothing.
 */
function parseHistory(text: string): { hour: number; shown: (Shown | undefined)[] }[] {
  return text.split("; ").flatMap((part) => {
    const [hours = "", mirrors = ""] = part.split(": ");
    const shown = mirrors.split(" | ").map(parseShown);
    return hours.split(",").map((hour) => ({ hour: Number(hour), shown }));
  });
}

function parseShown(text: string): Shown | undefined {
  if (text === "-") return undefined;
  const words = text.split(" ");
  const date = words.find((word) => word.startsWith("@"))?.slice(1);
  const head = words.find((word) => word.startsWith("^"))?.slice(1) ?? "main";
  const unread = (["unread", "too_many"] as const).find((word) => words.includes(word));
  const refs = words
    .filter((word) => !/^[@^]|^unread$|^too_many$/.test(word))
    .map((word): [string, string] => {
      const [name = "", value] = word.split("=");
      if (name === "HEAD") return [name, id(value ?? "")];
      const kind = name.startsWith("v") ? "tags" : "heads";
      return value === undefined ? ["refs/heads/main", id(name)] : [`refs/${kind}/${name}`, id(value)];
    });
  return {
    refs: new Map(refs),
    head: words.some((word) => word.startsWith("HEAD=")) ? "HEAD" : `refs/heads/${head}`,
    date: date === undefined ? undefined : Number(date),
    unread,
  };
}

function id(value: string): string {
  return hash("sha1", value);
}

function hours(last: number, at: (hour: number) => string): string {
  return Array.from({ length: last + 1 }, (_, hour) => `${hour}: ${at(hour)}`).join("; ");
}

/**
 * Plays a history and returns what the feed says of the mirrors at the wanted hours. A target with one branch is played
 * as kind http, whose contents have dates. Any other is played as Git: there, a date tells what the servers would answer
 * about a commit that the reference never showed.
 */
function play(text: string, wanted: readonly number[], more: object = {}): Map<string, string> {
  const history = parseHistory(text);
  const all = history.flatMap(({ shown }) => shown.filter((one) => one !== undefined));
  const hasOnlyMain = ({ refs, head }: Shown): boolean =>
    refs.size === 1 && refs.has("refs/heads/main") && head === "refs/heads/main";
  const isGit = all.some((one) => one.unread !== undefined || !hasOnlyMain(one));
  const urls = (history[0]?.shown ?? []).map((_, index) => `https://m${index + 1}.example.org/a`);
  const { probe, target, ...file } = { probe: {}, target: { primary: 1 }, ...more };
  const config = projectConfig([{ target: "t", ...target, network: networkAt(urls) }], {
    probe: { kind: isGit ? "git" : "http", ...probe },
    freshness: { grace: "24h" },
    ...file,
  });
  const versions = new Map<string, number>();
  const answers = new Map<string, string>();
  let state: State | undefined;
  for (const { hour, shown } of history) {
    const at = start + hour * hourMs;
    const [lead] = "primary" in target ? shown : [];
    const main = lead?.head ?? "refs/heads/main";
    const tip = lead?.refs.get(main);
    if (tip !== undefined && lead?.date !== undefined) versions.set(tip, lead.date);
    const seen = shown.map((one) => seenAs(one, isGit));
    const asked = isGit ? askedOf(shown, main, versions) : {};
    const sets = seen.flatMap(({ set }) => set ?? []);
    const refs = new Map(sets.map((set) => [refSetDigest(formatRefSet(set)), set]));
    const history = { "s/p/t": { [main]: asked } };
    const observations = seen.map(({ observation }) => observation);
    state = stateAfter(config, state, { at, seen: observations, refs, history });
    state = parseState(formatState(state), "the test");
    if (!wanted.includes(hour)) continue;
    for (const node of nodesOf(targetsOf(resolveState(config, listNodes(config), state).systems))) {
      const since = node.behind_since && ` ${(Date.parse(node.behind_since) - start) / hourMs}`;
      const isMarked = node.state === "behind" || node.state === "differs" || node.state === "offline";
      answers.set(`${hour}: ${node.id}`, `${node.freshness}${since ?? ""}${isMarked ? " !" : ""}`);
    }
  }
  return answers;
}

function seenAs(shown: Shown | undefined, isGit: boolean): { observation: Seen; set?: RefSet } {
  if (shown === undefined) return { observation: { code: "rate_limited", http_status: 429 } };
  const { refs, head, date, unread: refs_unread } = shown;
  const revision = refs.get(head);
  if (!isGit) {
    const content_at = date === undefined ? undefined : new Date(start + date * hourMs).toISOString();
    return { observation: { revision, content_at } };
  }
  const set = new Map([...refs, ...(revision === undefined ? [] : [["HEAD", revision] as const])]);
  const digest = refSetDigest(formatRefSet(set));
  const named: Partial<Observation> = revision === undefined ? {} : { revision, branch: head.slice(11) };
  return refs_unread === undefined
    ? { observation: { ...named, refs: digest }, set }
    : { observation: { ...named, refs_unread } };
}

function askedOf(
  shown: readonly (Shown | undefined)[],
  main: string,
  versions: ReadonlyMap<string, number>,
): History[string][string] {
  const newest = [...versions.values()].at(-1);
  if (newest === undefined) return {};
  return Object.fromEntries(
    shown.flatMap((one) => {
      const own = one?.refs.get(main);
      const date = one?.date;
      if (own === undefined || date === undefined || versions.has(own)) return [];
      const contains = [...versions].flatMap(([value, at]) => (at <= date ? [value] : []));
      return [[own, { past: date < newest, contains }]];
    }),
  );
}

function expectAnswers(text: string, asserted: string, more: object = {}): void {
  const wanted = asserted.split(", ").map((one) => /^(\d+: \d+) .*$/.exec(one)?.[1] ?? "");
  const hours = wanted.map((key) => Number.parseInt(key, 10));
  const answers = play(text, hours, more);
  expect(wanted.map((key) => `${key} ${answers.get(key)}`)).toEqual(asserted.split(", "));
}

/** Reads cases of three lines each: the title, the history and the answers. */
function casesIn(text: string): string[][] {
  const lines = text.trim().split(/\n\s*/);
  return lines.flatMap((_, index) => (index % 3 === 0 ? [lines.slice(index, index + 3)] : []));
}

/** The answers: hour, mirror, freshness, the hour since which it is behind, and `!` if it needs attention. */
test.each(
  casesIn(`
  equal (same content)
    0,6,12,18,24,30: A @-50 | A @-50
    30: 2 in_sync
  first run, older (first run: counted from the first run)
    0: B @0 | A @-50; 6,12,18,24,30: B @5 | A @-50
    0: 2 behind 0, 18: 2 behind 0, 24: 2 behind 0 !
  push, follows in 2 h (a push is no fault of anybody)
    0: A @-50 | A @-50; 5,6: B @5 | A @-50; 7: B @5 | B @5
    5: 2 behind 5, 6: 2 behind 5, 7: 2 in_sync
  stuck, quiet (attention after 24 h)
    0: A @-50 | A @-50; 5,10,15,20,25,30,35,40: B @5 | A @-50
    25: 2 behind 5, 30: 2 behind 5 !
  stuck, busy (since never moves forward though 32 versions are kept)
    ${hours(400, (h) => `s${h} | s0`)}
    24: 2 behind 1, 25: 2 behind 1 !, 400: 2 behind 1 !
  constant delay 2 h (since moves with the mirror)
    ${hours(60, (h) => `s${h} @${h} | s${Math.max(0, h - 2)} @${Math.max(0, h - 2)}`)}
    60: 2 behind 59
  constant delay 48 h, dated (a delay longer than the grace needs attention)
    ${hours(100, (h) => `s${h} @${h} | s${Math.max(0, h - 48)} @${Math.max(0, h - 48)}`)}
    24: 2 behind 1, 25: 2 behind 1 !
  not observed when the reference moves (429: shown as of then)
    0: A @-50 | A @-50; 5,6: B @5 | -; 7: B @5 | B @5
    5: 2 in_sync, 7: 2 in_sync
  not observed for a day (then unknown)
    0: A @-50 | A @-50; 6,12,18,24,30: B @5 | -
    18: 2 in_sync, 24: 2 unknown
  pushed twice between runs (dated content that no run saw at the reference)
    0: A @-50 | A @-50; 12: C @10 | B @5
    12: 2 behind 12
  pushed twice between runs, undated (cannot be told: unknown, no attention)
    0: A | A; 12: C | B; 18: C | C
    12: 2 unknown, 18: 2 in_sync
  one push ahead (an honest mirror may be first)
    0: A @-50 | A @-50; 5: A @-50 | B @5; 6: B @5 | B @5
    5: 2 unknown, 6: 2 in_sync
  always ahead, busy (the reference overtakes it each time)
    ${hours(60, (h) => `s${h} @${h} | s${h + 1} @${h}`)}
    60: 2 unknown
  foreign commit, reference quiet (apart for 24 h)
    0: A @-50 | A @-50; 5,10,15,20,25,30,35: A @-50 | X @4
    25: 2 unknown, 30: 2 differs !
  foreign commit, then the reference moves (older foreign content is behind; attention a day later)
    0: A @-50 | A @-50; 5: A @-50 | X @5; 10,15,20,25,30,35,40: C @10 | X @8
    10: 2 behind 10, 35: 2 behind 10 !
  commit on top, differs, pushes go on (once it differs, only known content clears it)
    0: A @-50 | A @-50; 2,4,6,8,10,12,14,16,18,20,22,24,26,28: A @-50 | X @1; 30: B @30 | X @1; 31: B @30 | Y @30.5; 60: C @60 | Y @30.5; 61: C @60 | C @60
    24: 2 unknown, 26: 2 differs !, 30: 2 differs !, 31: 2 differs !, 60: 2 differs !, 61: 2 in_sync
  forged future date, fixed (a date in the future counts as now)
    0: A @-50 | A @-50; 5: A @-50 | X @5; 10: B @10 | X @10; 20: C @20 | X @20; 30: C @20 | X @30
    30: 2 differs !
  future-dated commit of the reference (it must not make honest mirrors look old)
    0: A @-50 | A @-50; 10: F @10 | F @10; 40: B @40 | B @40; 60: C @60 | Y @59
    60: 2 behind 60
  reset to older content (the mirror has what the reference left)
    0: A @-50 | A @-50; 5: B @5 | B @5; 20,44: A @-50 | B @5
    20: 2 behind 20, 44: 2 behind 20 !
  reset and on again, unseen version between (dates after a reset: look back from the newest)
    0: B @-10 | B @-10; 5: A @-100 | A @-100; 40: C @40 | Y @39
    40: 2 behind 40
  equal dates (two commits in one second: unknown, then behind)
    0: A @-50 | A @-50; 12: C @10 | B @10; 15,39: D @15 | B @10
    12: 2 unknown, 15: 2 behind 15, 39: 2 behind 15 !
  round robin with a stale backend (every old answer needs attention)
    0: A @-50 | A @-50; 5: B @5 | B @5; 40: B @5 | A @-50; 41: B @5 | B @5; 42: B @5 | A @-50
    40: 2 behind 5 !, 41: 2 in_sync, 42: 2 behind 5 !
  lacks a tag from the start (counted from the first run)
    0,6,12,18,24,30: A v1=T @-50 | A @-50
    18: 2 behind 0, 24: 2 behind 0 !
  new tag, follows
    0: A @-50 | A @-50; 5: A v1=T @-50 | A @-50; 6: A v1=T @-50 | A v1=T @-50
    5: 2 behind 5, 6: 2 in_sync
  loses a tag (counted from the last observation that had it)
    0,49: A v1=T @-50 | A v1=T @-50; 50,60,73: A v1=T @-50 | A @-50
    50: 2 behind 49, 60: 2 behind 49, 73: 2 behind 49 !
  loses a tag, always 20 hours behind (a branch that is behind for longer hides no lost tag)
    ${hours(100, (h) => `s${h} v1=T | s${Math.max(0, h - 20)}${h < 30 ? " v1=T" : ""}`)}
    60: 2 behind 29 !, 100: 2 behind 29 !
  changed tag, then behind (a branch that is behind ends no difference)
    0: A v1=T | A v1=T; 1,12,26: A v1=T | A v1=Z; 27: B v1=T | A v1=Y; 28: B v1=T | B v1=Y
    26: 2 differs !, 27: 2 differs !, 28: 2 differs !
  older content that mirrors share (it says nothing against the primary)
    0,6,12,18,24,30: B @0 | A @-300 | A @-300
    30: 1 in_sync, 30: 2 behind 0 !, 30: 3 behind 0 !
  loses a tag, always a bit behind (a moving main must not hide the lost tag)
    ${hours(60, (h) => `s${h} v1=T | s${Math.max(0, h - 1)}${h < 20 ? " v1=T" : ""}`)}
    20: 2 behind 19, 60: 2 behind 19 !
  moved tag (the journal knows the former value)
    0: A v1=T @-50 | A v1=T @-50; 5,30: A v1=U @-50 | A v1=T @-50
    5: 2 behind 5, 30: 2 behind 5 !
  tampered tag (unexplained for 24 h)
    0: A v1=T @-50 | A v1=T @-50; 5,29: A v1=T @-50 | A v1=Z @-50
    5: 2 unknown, 29: 2 differs !
  planted tag (an extra tag that the reference never had)
    0: A v1=T @-50 | A v1=T @-50; 5,29: A v1=T @-50 | A v1=T v9=Z @-50
    5: 2 unknown, 29: 2 differs !
  extra branch (listed, never judged)
    0,12,24,36,48,60: A @-50 | A own=Z @-50
    60: 2 in_sync
  renamed default branch, old HEAD (compared on the reference's branch)
    0: A @-50 | A @-50; 5: ^trunk A trunk=A @-50 | A; 6: ^trunk A trunk=B @5 | A trunk=B @5
    5: 2 behind 5, 6: 2 in_sync
  renamed default branch, lacks it (attention after a day)
    0: A @-50 | A @-50; 5,11,17,23,29,35: ^trunk A trunk=A @-50 | A
    23: 2 behind 5, 29: 2 behind 5 !
  branch renamed and removed
    0: A @-50 | A @-50; 5: ^trunk trunk=A @-50 | A; 6: ^trunk trunk=A @-50 | ^trunk trunk=A A @-50
    6: 2 in_sync
  branch pushed twice between runs (unexplained for some hours)
    0: A f=F @-50 | A f=F @-50; 12: A f=K @-50 | A f=G @-50; 24: A f=K @-50 | A f=K @-50
    12: 2 unknown, 24: 2 in_sync
  primary down, mirrors move on (a run that does not see the reference accuses nobody)
    0: A @-50 | A @-50 | A @-50; 5,10,15,20,25,30,35,40,45: - | B @5 | A @-50; 46: B @5 | B @5 | A @-50
    45: 2 unknown, 46: 2 in_sync, 46: 3 behind 46
  primary stops (most mirrors are newer: the primary is alone, they are not accused)
    0: A @-50 | A @-50 | A @-50 | A @-50; 6,12,18,24,30,36,42,48,54,60,66: A @-50 | B @5 | B @5 | A @-50
    66: 2 unknown, 66: 3 unknown, 66: 4 in_sync, 24: 1 behind 6, 30: 1 behind 6 !
  hijack ended (the delay counts from the content that was followed, not from the false content)
    0: A @-50 | A @-50 | A @-50; 5,11,17,23,29,35,41,47,53,59,65,71,77,83,89,95: X @4 | A @-50 | A @-50; 100: B @99 | A @-50 | A @-50; 106,112: B @99 | A @-50 | B @99
    112: 2 behind 5 !
  hijacked primary (nobody follows: behind after a day, but never offline)
    0: A @-50 | A @-50 | A @-50; 5,11,17,23,29,35,41,47,53,59,65: X @4 | A @-50 | A @-50
    65: 2 behind 5 !
  one other mirror (mirrorfeed believes the primary)
    0: A @-50 | A @-50; 5,11,17,23,29,35: X @4 | A @-50
    35: 2 behind 5 !
  undated stuck at an unseen version (undated and never seen: differs after a day)
    0: A | A; 12: C | B; 18,24,30,36,42: D | B
    12: 2 unknown, 36: 2 differs !
`),
)("a mirror with a primary: %s", (_, text = "", asserted = "") => {
  expectAnswers(text, asserted);
});

/** This many tags that only the mirror has. */
function ownTags(count: number): string {
  return Array.from({ length: count }, (_, index) => `v9.${index}=Z`).join(" ");
}

test.each(
  casesIn(`
  HEAD on another branch, equal (a note)
    0: A f=F | A f=F; 5,35: A f=F | ^f A f=F
    35: 2 in_sync
  HEAD on another branch, stuck (the reference's branch is compared)
    0: A f=F | A f=F; 5,30: B f=F | ^f A f=F
    5: 2 behind 5, 30: 2 behind 5 !
  detached HEAD of the mirror (a note)
    0,30: A | HEAD=Z A
    30: 2 in_sync
  detached HEAD of the reference (HEAD on both sides)
    0: HEAD=A A | A | HEAD=A A; 5,30: HEAD=B A | A | HEAD=B A
    0: 2 in_sync, 5: 2 behind 5, 30: 2 behind 5 !, 30: 3 in_sync
  HEAD unborn (names only)
    0: f=F | f=F | ^f f=F; 5,30: f=G | f=F | f=G
    0: 3 in_sync, 5: 2 behind 5, 30: 2 behind 5 !, 30: 3 in_sync
  loses a branch (counted from the last observation that had it)
    0,49: A f=F | A f=F; 50,73: A f=F | A
    50: 2 behind 49, 73: 2 behind 49 !
  keeps what the reference deleted (mirrors do not prune)
    0: A f=F v1=T | A f=F v1=T; 5,35: A | A f=F v1=T
    5: 2 in_sync, 35: 2 in_sync
  gets a tag that the reference deleted (it has had it)
    0: A v1=T v2=T | A v2=T; 5: A v2=T | A v2=T; 6,35: A v2=T | A v1=T v2=T
    6: 2 in_sync, 35: 2 in_sync
  extra tag at first sight (accepted, but not another value of it)
    0,30: A v1=T | A v1=T v9=Z; 31,55: A v1=T | A v1=T v9=Y
    30: 2 in_sync, 31: 2 unknown, 55: 2 differs !
  extra tag on a commit of the reference
    0: A v1=T | A v1=T; 5,35: A v1=T | A v1=T v9=A
    5: 2 in_sync, 35: 2 in_sync
  32 extra tags, and one more
    0: A v1=T | A v1=T ${ownTags(32)}; 5,29: A v1=T | A v1=T v8=Z ${ownTags(32)}
    0: 2 in_sync, 5: 2 unknown, 29: 2 differs !
  33 extra tags, and one more (not judged by them)
    0: A v1=T | A v1=T ${ownTags(33)}; 5,29: A v1=T | A v1=T v8=Z ${ownTags(33)}
    0: 2 in_sync, 5: 2 in_sync, 29: 2 in_sync
  stands still while the reference forgets moves of a branch
    ${hours(200, (h) => `A f=f${h} | A f=f0`)}
    24: 2 behind 1, 25: 2 behind 1 !, 200: 2 behind 1 !
  stands still while the reference forgets moves of other branches
    ${hours(200, (h) => `A f=f${Math.min(h, 1)} g=g${h} | A f=f0 g=g${h === 0 ? 0 : 1}`)}
    24: 2 behind 1, 25: 2 behind 1 !, 200: 2 behind 1 !
  refs unread for a day (then unknown)
    0: A v1=T | A v1=T; 5,23,24,50: A v1=T | A unread; 51: A v1=T | A v1=T
    5: 2 in_sync, 23: 2 in_sync, 24: 2 unknown, 50: 2 unknown, 51: 2 in_sync
  refs padded over the limit (they hide no lag of main)
    0: A v1=T | A v1=T; 5: A v1=T | A too_many; 6,30: B v1=T | A too_many
    5: 2 in_sync, 6: 2 behind 6, 30: 2 behind 6 !
  refs never read
    0,30: A v1=T | A too_many | A unread
    0: 2 unknown, 30: 2 unknown, 30: 3 unknown
  refs unread once it differs (only known content ends it)
    0: A v1=T | A v1=T; 5,29: A v1=T | A v1=Z; 30,60: A v1=T | A unread; 61: A v1=T | A v1=T
    29: 2 differs !, 30: 2 differs !, 60: 2 differs !, 61: 2 in_sync
  refs unread while it lacks a tag (the clock goes on)
    0: A v1=T | A v1=T; 5: A v1=T v2=T | A v1=T; 6,20: A v1=T v2=T | A unread; 29: A v1=T v2=T | A v1=T
    20: 2 behind 5, 29: 2 behind 5 !
  refs of the reference never read (main only)
    0: A unread | A v1=T | A; 5,35: B too_many | B v1=Z | A
    0: 2 in_sync, 35: 2 in_sync, 35: 3 behind 5 !
  refs of the reference unread when it gets a tag (accuses nobody)
    0: A v1=T | A v1=T; 5,35: A unread | A v1=T v2=T; 36: A v1=T v2=T | A v1=T v2=T
    36: 2 in_sync
`),
)("a mirror of a repository: %s", (_, text = "", asserted = "") => {
  expectAnswers(text, asserted);
});

test.each(
  casesIn(`
    no primary, push arrives one by one (the majority decides, name by name)
      0: A @-50 | A @-50 | A @-50; 1: B @1 | A @-50 | A @-50; 2: B @2 | B @2 | A @-50; 3: B @3 | B @3 | B @3
      1: 1 unknown, 2: 3 behind 2, 3: 3 in_sync
    no primary, no majority (the reference keeps its value)
      0: A v1=T | A v1=T | A v1=T; 5: B v1=T | C v1=T | A v1=T; 6: B v1=T | B v1=T | A v1=T
      5: 3 in_sync, 6: 1 in_sync, 6: 3 behind 6
    no primary, a tag that most have, and one that only one has
      0: A v1=T | A v1=T | A v1=T; 5,30: A v1=T v2=U | A v1=T v2=U | A v1=T v3=Z
      5: 1 in_sync, 5: 3 behind 5, 30: 3 differs !
    no primary, a tag with three values (it keeps that of before)
      0: A v1=T | A v1=T | A v1=T; 5,29: A v1=T | A v1=U | A v1=Z
      29: 1 in_sync, 29: 2 differs !, 29: 3 differs !
  `),
)("%s", (_, text = "", asserted = "") => {
  expectAnswers(text, asserted, { target: {} });
});
