import { hash } from "node:crypto";
import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { History } from "../../../src/core/probe/observation.ts";
import { formatRefSet, refSetDigest, type RefSet } from "../../../src/core/probe/ref-set.ts";
import type { NodeState, State } from "../../../src/core/state/state-schema.ts";
import { networkAt, projectConfig, type Seen, stateAfter } from "../../support/rounds.ts";
import { randomNumbers, seed, trials } from "../../support/trials.ts";
import { formatState, parseState } from "../../support/stored.ts";

const hourMs = 3_600_000;
const start = Date.parse("2026-01-01T00:00:00Z");
const graceMs = 28 * hourMs;
const runsOfWorld = 400;
const worlds = trials(12, 250);

const kinds = ["git", "dated", "undated"] as const;
const behaviours = ["honest", "ahead", "unobserved", "stuck", "lacking", "foreign", "on top"] as const;
type Behaviour = (typeof behaviours)[number];

/** A commit: its place in the reference's history, or the place that a foreign commit was made on. */
interface Commit {
  readonly place: number;
  readonly own: string;
}

interface Mirror {
  readonly behaviour: Behaviour;
  readonly delayMs: number;
  /** When the mirror goes wrong. */
  readonly from: number;
  /** When a run first saw both the mirror with its fault and the reference. */
  noticed: number | undefined;
  /** How many such runs there were after the grace. */
  chances: number;
  main: Commit;
  tags: number;
  /** Whether the mirror has lost its first tag. */
  lacksTag: boolean;
  copiedAt: number;
}

const id = ({ place, own }: Commit): string => hash("sha1", `${place} ${own}`);

class World {
  readonly kind: (typeof kinds)[number];
  readonly intervalMs: number;
  readonly mirrors: Mirror[];
  /** When each commit and tag of the reference was pushed. */
  readonly pushes = [start - hourMs];
  readonly tags = [start - hourMs];
  readonly #gapMs: number;
  readonly #shown = new Map<string, Commit>();
  /** When the next commit is pushed. */
  #upcoming = start;
  readonly random: () => number;

  constructor(random: () => number, index: number) {
    this.random = random;
    this.kind = kinds[index % kinds.length] ?? "git";
    this.intervalMs = [0.5, 1, 3][index % 4 === 3 ? 2 : index % 2] ?? 1;
    this.intervalMs *= hourMs;
    // Nobody can tell undated content that changes between two runs from foreign content (freshness limits).
    const gaps = this.kind === "undated" ? [20, 200] : [0.4, 12, 200];
    this.#gapMs = (gaps[Math.floor(random() * gaps.length)] ?? 12) * hourMs;
    this.mirrors = behaviours
      .filter((one) => this.kind === "git" || one !== "lacking")
      .filter((one) => this.kind !== "dated" || !["foreign", "on top"].includes(one))
      .map((behaviour) => ({
        behaviour,
        delayMs: random() * 24 * hourMs,
        from: start + (0.2 + 0.4 * random()) * runsOfWorld * this.intervalMs,
        noticed: undefined,
        chances: 0,
        main: { place: 0, own: "" },
        tags: 1,
        lacksTag: false,
        copiedAt: start,
      }));
  }

  live(at: number): void {
    while (this.#upcoming < at) {
      this.pushes.push(this.#upcoming);
      if (this.random() < 0.1) this.tags.push(this.#upcoming);
      const gapMs = this.#next();
      this.#upcoming += this.kind === "undated" ? Math.max(gapMs, this.intervalMs) : gapMs;
    }
    for (const mirror of this.mirrors) this.#copy(mirror, at);
  }

  #next(): number {
    return -Math.log(1 - this.random()) * this.#gapMs;
  }

  #copy(mirror: Mirror, at: number): void {
    const { behaviour, from } = mirror;
    const newest = this.pushes.length - 1;
    const isWrong = at >= from;
    if (isWrong && (behaviour === "stuck" || behaviour === "foreign")) {
      if (behaviour === "foreign") mirror.main = { place: mirror.main.place, own: "x" };
      return;
    }
    if (behaviour === "ahead" || behaviour === "on top") {
      const own = behaviour === "on top" && isWrong ? "x" : "";
      // The next push may reach a mirror half a day before the reference.
      const isEarly = behaviour === "ahead" && this.#upcoming - at < 12 * hourMs;
      mirror.main = { place: isEarly ? newest + 1 : newest, own };
      mirror.tags = this.tags.length;
    } else if (at - mirror.copiedAt >= mirror.delayMs) {
      // The copy is as old as its transfer took, which is no more than a run.
      mirror.copiedAt = at;
      mirror.main = { place: newest, own: "" };
      mirror.tags = this.tags.length;
      mirror.lacksTag = behaviour === "lacking" && isWrong;
    }
  }

  see(mirror: Mirror | undefined): { readonly seen: Seen; readonly set?: RefSet } {
    const reference = { main: { place: this.pushes.length - 1, own: "" }, tags: this.tags.length };
    const { main, tags } = mirror ?? reference;
    const isLimited = mirror?.behaviour === "unobserved" && Math.floor(main.place / 3) % 2 === 1;
    if (isLimited || this.random() < 0.03) return { seen: { code: "rate_limited", http_status: 429 } };
    const revision = id(main);
    const pushed = this.pushes[main.place] ?? this.pushes.at(-1) ?? start;
    const content_at = this.kind === "dated" ? new Date(pushed).toISOString() : undefined;
    if (this.kind !== "git") return { seen: { revision, content_at } };
    const names = Array.from(
      { length: tags },
      (_, tag) => [`refs/tags/v${tag}`, hash("sha1", `tag ${tag}`)] as const,
    ).slice(mirror?.lacksTag === true ? 1 : 0);
    const set = new Map([["HEAD", revision], ["refs/heads/main", revision], ...names]);
    return { seen: { revision, branch: "main", refs: refSetDigest(formatRefSet(set)) }, set };
  }

  /** What the servers say about the commits of the mirrors, and about those that started clocks. */
  history(state: State | undefined): History {
    if (this.kind !== "git") return {};
    for (const { main } of this.mirrors) this.#shown.set(id(main), main);
    const clocks = Object.values(state?.nodes ?? {}).map(({ apart }) => this.#shown.get(apart?.[2] ?? ""));
    const asked = [...this.mirrors.map(({ main }) => main), ...clocks.filter((one) => one !== undefined)];
    const newest = this.pushes.length - 1;
    const answers = asked.map((commit) => {
      const contained = Array.from({ length: commit.place + 1 }, (_, place) => ({ place, own: "" }));
      const past = commit.own === "" && commit.place <= newest;
      return [id(commit), { past, contains: contained.slice(-40).map(id) }] as const;
    });
    return { "s/p/t": { "refs/heads/main": Object.fromEntries(answers) } };
  }

  /** When a mirror's fault became visible: the reference has had what the mirror lacks, or it has foreign content. */
  faultSince({ behaviour, from, main, lacksTag }: Mirror): number {
    if (behaviour === "stuck") return this.pushes[main.place + 1] ?? Infinity;
    if (behaviour === "lacking") return lacksTag ? from + 24 * hourMs : Infinity;
    return behaviour === "foreign" || behaviour === "on top" ? from : Infinity;
  }
}

function needsAttention({ freshness, late }: NodeState): boolean {
  return freshness === "differs" || (freshness === "behind" && late === true);
}

const found = new Map<Behaviour, number>();

function play(index: number): void {
  const world = new World(randomNumbers(seed + index), index);
  const urls = [undefined, ...world.mirrors].map((_, host) => `https://m${host}.example.org/a`);
  const config = projectConfig([{ target: "t", primary: 1, network: networkAt(urls) }], {
    probe: { kind: world.kind === "git" ? "git" : "http" },
  });
  const ids = listNodes(config).map((node) => node.id);
  let state: State | undefined;
  for (let run = 0; run < runsOfWorld; run += 1) {
    const at = start + run * world.intervalMs;
    world.live(at);
    const views = [undefined, ...world.mirrors].map((mirror) => world.see(mirror));
    const sets = views.flatMap(({ set }) => set ?? []);
    const refs = new Map(sets.map((set) => [refSetDigest(formatRefSet(set)), set]));
    const seen = views.map((view) => view.seen);
    state = stateAfter(config, state, { at, seen, refs, history: world.history(state) });
    const isSeen = (node: number): boolean => !("code" in Object(seen[node]));
    for (const [position, mirror] of world.mirrors.entries()) {
      const node = state.nodes[ids[position + 1] ?? 0];
      if (node === undefined) throw new Error("Every mirror has a state.");
      const { behaviour } = mirror;
      const isMarked = needsAttention(node);
      const where = `${world.kind} world ${index}, run ${run}: ${behaviour}`;
      const isHonest = at < mirror.from || ["honest", "ahead", "unobserved"].includes(behaviour);
      if (isHonest && isMarked) throw new Error(`${where} is accused: ${JSON.stringify(node)}`);
      if (at >= mirror.from && at >= world.faultSince(mirror) && isSeen(0) && isSeen(position + 1)) {
        mirror.noticed ??= at;
        if (at - mirror.noticed >= graceMs) mirror.chances += 1;
      }
      const isDue = mirror.chances > 2;
      if (isDue && !isMarked) throw new Error(`${where} is not found: ${JSON.stringify(node)}`);
      if (isDue && isMarked) found.set(behaviour, (found.get(behaviour) ?? 0) + 1);
    }
  }
  if (state === undefined) throw new Error("A world has a run.");
  parseState(formatState(state), "the simulation");
  const [reference] = Object.values(state.references);
  expect(JSON.stringify({ ...reference, refs: undefined }).length).toBeLessThan(10_000);
}

test(`${worlds * runsOfWorld} runs accuse no honest mirror and find every other within the grace and two runs`, () => {
  for (let index = 0; index < worlds; index += 1) play(index);
  expect([...found.keys()].sort()).toEqual(["foreign", "lacking", "on top", "stuck"]);
});
