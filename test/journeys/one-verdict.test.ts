import { beforeAll, describe, expect, test } from "vitest";
import { listNodes, type Node } from "../../src/core/config/nodes.ts";
import { validateConfig } from "../../src/core/config/validate.ts";
import { type MirrorState, mirrorStates } from "../../src/core/verdict/mirror-state.ts";
import type { NotifiedFeed } from "../../src/features/notify/told.ts";
import { differenceOf } from "../../src/features/notify/difference.ts";
import { renderSite } from "../../src/app/render-site.ts";
import { summaryChanges, summaryJson, summaryTable } from "../../src/app/run-summary.ts";
import type { Round } from "../../src/core/state/round.ts";
import { closeAfterFile } from "../support/close-after-test.ts";
import { startServer } from "../support/mirror-server.ts";
import { runInProcess } from "../support/in-process.ts";
import { day, minute, noon, roundOf, summaryOf, textsOf } from "../support/playing.ts";
import { type Seen, vantageOf } from "../support/rounds.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { statuspageSummary } from "../support/statuspage.ts";

const [one, two] = ["1", "2"].map((digit) => ({ revision: digit.repeat(40), branch: "main" }));

/** Content that only one mirror has. */
function foreign(id: number): string {
  return `${id}`.padStart(40, "3");
}

/** For each state, what the last four daily runs saw of a mirror in that state. */
const histories: Readonly<Record<MirrorState, readonly [Seen, Seen, Seen, Seen]>> = {
  online: [one, two, two, two],
  behind: [one, one, one, one],
  differs: ["foreign", "foreign", "foreign", "foreign"],
  wrong: [one, two, two, { ...two, content_code: "no_fetch" }],
  offline: [one, two, two, "timeout"],
  maintenance: [one, two, two, "timeout"],
  unknown: [undefined, undefined, undefined, undefined],
};

/** The states in the order in which visitors prefer them, best first. */
const preferences = ["online", "behind", "differs", "unknown", "maintenance", "wrong", "offline"] as const;
/** The states that need attention, worst first. */
const attention = ["offline", "wrong", "differs", "behind"] as const;

function needs(state: MirrorState): boolean {
  return attention.some((one) => one === state);
}

/** A feed, described by its mirrors' states. The first mirror of a target is its primary. */
interface Scene {
  readonly name: string;
  readonly targets: readonly (readonly MirrorState[])[];
  /** If there are several locations, the last one reaches no mirror and is outvoted. */
  readonly locations?: readonly string[];
  /** How many of the last four runs took place (default: all). */
  readonly runs?: number;
  readonly isVoid?: boolean;
}

const pairs = mirrorStates.flatMap((first, index) =>
  mirrorStates.slice(index).map((second) => [first, second] as const),
);
const sceneOf = (name: string, ...targets: MirrorState[][]): Scene => ({ name, targets });
const scenes: readonly Scene[] = [
  ...pairs.map((pair) => sceneOf(`${pair.join(" and ")}, on one target`, ["offline", ...pair])),
  ...pairs
    .filter(([first, second]) => first !== second)
    .map(([first, second]) =>
      sceneOf(`${first} and ${second}, on two`, ["offline", first], ["offline", second]),
    ),
  ...mirrorStates.map((state) => sceneOf(`${state} beside a good one`, ["online", state])),
  ...mirrorStates.map((state) => ({
    ...sceneOf(`${state} from three locations`, ["online", state]),
    locations: ["eu", "us", "asia"],
  })),
  sceneOf("one offline, and a target in maintenance", ["offline", "online"], ["maintenance"]),
  sceneOf("a good target and one in maintenance", ["online"], ["maintenance"]),
  sceneOf("a target in maintenance and a new one", ["maintenance"], ["unknown"]),
  sceneOf("all wrong", ["wrong", "wrong"], ["wrong"]),
  sceneOf("all in maintenance", ["maintenance", "maintenance"]),
  { ...sceneOf("the first run, all good", ["online", "online"]), runs: 1 },
  { ...sceneOf("the first run, which is void", ["unknown", "unknown"]), runs: 1, isVoid: true },
];

interface Mirror {
  readonly id: number;
  readonly state: MirrorState;
  readonly target: string;
  readonly url: string;
}

/** Everything that a feed publishes and prints. */
interface Published {
  readonly scene: Scene;
  readonly mirrors: readonly Mirror[];
  readonly texts: ReadonlyMap<string, string>;
  readonly feed: NotifiedFeed;
  readonly table: string;
  readonly json: string;
  readonly changes: readonly string[];
}

function configOf({ targets }: Scene) {
  let id = 0;
  const mirrors: Mirror[] = [];
  const documents = targets.map((states, index) => {
    const target = `t${index + 1}`;
    const network = states.map((state) => {
      id += 1;
      const url = `https://m${id}.example.org/a`;
      mirrors.push({ id, state, target, url });
      return { id, url };
    });
    return { target, primary: network[0]?.id, network };
  });
  const from = new Date(noon - 30 * minute).toISOString();
  const to = new Date(noon + day).toISOString();
  const config = validateConfig(
    JSON.stringify({
      systems: [{ system: "s", projects: [{ project: "p", targets: documents }] }],
      probe: { kind: "pacman" },
      site: { url: "https://status.example.org/", title: "Mirrors" },
      maintenance: mirrors.flatMap(({ id: scope, state }) =>
        state === "maintenance" ? [{ scope, from, to, reason: "new disks" }] : [],
      ),
      channels: { ops: { type: "webhook", urlEnv: "HOOK" } },
      notify: [{ to: ["ops"], after: "0s" }],
    }),
    "mirrors.json",
  );
  return { config, mirrors };
}

/** Returns a scene's runs, ending now. */
function roundsOf(
  { locations = ["default"], runs = 4, isVoid = false }: Scene,
  mirrors: readonly Mirror[],
  nodes: readonly Node[],
): Round[] {
  const times = [3, 2, 1, 0].map((days) => noon - days * day);
  return times.slice(-runs).map((at, index) => {
    const seenBy =
      (location: number) =>
      (id: number): Seen => {
        if (isVoid) return "dns";
        const state = mirrors.find((mirror) => mirror.id === id)?.state ?? "unknown";
        const own = histories[state][4 - runs + index];
        const seen = own === "foreign" ? { revision: foreign(id), branch: "main" } : own;
        const isAlone = locations.length > 1 && location === locations.length - 1;
        return isAlone && seen !== undefined ? "timeout" : seen;
      };
    const vantages = Object.fromEntries(locations.map((name, location) => [name, seenBy(location)]));
    const round = roundOf(nodes, { at, vantages });
    // The control proves that each location is online, so that a run without any good mirror counts.
    const controls = isVoid ? [] : vantageOf("control", [], ["ok"]).controls;
    const asked = Object.fromEntries(nodes.map(({ id }) => [foreign(id), { past: false }]));
    const history = Object.fromEntries(nodes.map(({ place }) => [place, { "refs/heads/main": asked }]));
    return { ...round, history, vantages: round.vantages.map((vantage) => ({ ...vantage, controls })) };
  });
}

function publish(scene: Scene): Published {
  const { config, mirrors } = configOf(scene);
  const summary = summaryOf(config, roundsOf(scene, mirrors, listNodes(config)));
  const { feed } = summary;
  return {
    scene,
    mirrors,
    feed,
    // These take most of the time, and say nothing about mirrors.
    texts: textsOf(renderSite(config, feed).filter(({ path }) => !/^(?:docs|openapi)\b/.test(path))),
    table: summaryTable(summary),
    json: summaryJson(summary),
    changes: summaryChanges(summary),
  };
}

/** What outputs must say about the scene, decided here and not by the program. */
function expected(mirrors: readonly Mirror[]) {
  const states = mirrors.map(({ state }) => state);
  const bestOf = (place: string): MirrorState =>
    preferences.find((one) => mirrors.some(({ target, state }) => target === place && state === one)) ??
    "unknown";
  const targets = Object.fromEntries(mirrors.map(({ target }) => [target, bestOf(target)]));
  const bests = Object.values(targets);
  const verdict = [...attention, ...preferences].find((state) => bests.includes(state));
  return { states: stateOfEach(mirrors), counts: countsOf(states), targets, verdict };
}

function countsOf(states: readonly MirrorState[]): Record<string, number> {
  return Object.fromEntries(
    mirrorStates.map((state) => [state, states.filter((one) => one === state).length]),
  );
}

/** What an output says. Every field that is present must be as expected. */
interface Told {
  readonly states?: Readonly<Record<string, string | undefined>>;
  readonly counts?: Readonly<Record<string, number>>;
  readonly targets?: Readonly<Record<string, string>>;
  readonly verdict?: string | undefined;
}

function parsed({ texts }: Published, path: string): unknown {
  return JSON.parse(texts.get(path) ?? "null");
}

interface Network {
  readonly network: readonly {
    readonly id: number;
    readonly state: string;
    readonly uptime: { readonly "90d": { readonly ratio?: number } };
    readonly mean_latency_ms?: number;
  }[];
}

/** A mirror in the search index: id, name, URL, states, uptime and latency. */
type Row = readonly [number, string, string, string, number | null, number | null];

/** Maps a state's word in sentences to the state's name, where the two differ. */
const adjectives: Readonly<Record<string, string>> = {
  different: "differs",
  "in maintenance": "maintenance",
};

function countsIn(sentence: string): Record<string, number> {
  const found = [...sentence.matchAll(/(\d+) ([a-z][a-z ]*?)(?=[,.])/g)].map(
    ([, count, name = ""]) => [adjectives[name] ?? name, Number(count)] as const,
  );
  return { ...countsOf([]), ...Object.fromEntries(found) };
}

/** Returns the pairs that a pattern captures in a text: a mirror's id or a state's name, and a value. */
function pairsIn(text: string, pattern: RegExp): Record<string, string> {
  return Object.fromEntries([...text.matchAll(pattern)].map(([, name = "", value = ""]) => [name, value]));
}

/** Returns the states in rows such as ` ● online m1.example.org/a …`. */
function statesInRows(text: string): Record<string, string> {
  const rows = [...text.matchAll(/^ {2}\S ([a-z]+) .*?m(\d+)\.example\.org/gm)];
  return Object.fromEntries(rows.map(([, state = "", id = ""]) => [id, state]));
}

function stateOfEach<State extends string>(nodes: readonly { readonly id: number; readonly state: State }[]) {
  return Object.fromEntries(nodes.map(({ id, state }) => [id, state]));
}

interface Change {
  readonly id?: number;
  readonly status?: number;
  readonly freshness?: string;
}

/** Returns the state that an entry of the change feed reports. */
function stateAfter({ status, freshness }: Change = {}): string | undefined {
  if (status !== undefined) return status === 0 ? "offline" : "online";
  if (freshness === undefined || freshness === "in_sync") return freshness && "online";
  return freshness === "behind" || freshness === "differs" ? freshness : "wrong";
}

const eventStates: Readonly<Record<string, string>> = {
  offline: "offline",
  never_online: "offline",
  wrong_content: "wrong",
  differs: "differs",
  behind: "behind",
};

/** How pages name and draw the states. */
const words: Readonly<Record<MirrorState, readonly [word: string, shape: string]>> = {
  online: ["Online", "online"],
  behind: ["Behind", "some"],
  differs: ["Differs", "some"],
  wrong: ["Wrong", "wrong"],
  offline: ["Offline", "offline"],
  maintenance: ["Maintenance", "unknown"],
  unknown: ["Unknown", "unknown"],
};

/** Returns states by mirror. The pattern captures the mirror's id, the shape if one is drawn, and the word. */
function statesInWords(text: string, pattern: RegExp): Record<string, string> {
  const found = [...text.matchAll(pattern)].map(([, id = "", shape = "", word = shape]) => {
    const state = mirrorStates.find((one) => words[one][0] === word);
    const isDrawn = state !== undefined && (shape === word || shape === words[state][1]);
    return [
      id,
      isDrawn ? state : word === "Never reached" ? "unknown" : `${word}, drawn as ${shape}`,
    ] as const;
  });
  return Object.fromEntries(found);
}

const readers: Readonly<Record<string, (published: Published) => Told>> = {
  "the report of each target": (published) => {
    const documents = published.scene.targets.map(
      (_, index) => parsed(published, `v1/report/s/p/t${index + 1}/index.json`) as Network,
    );
    const nodes = documents.flatMap(({ network }) => network);
    return { states: stateOfEach(nodes) };
  },
  "the report of the system": (published) => {
    const { projects } = parsed(published, "v1/report/s/index.json") as {
      projects: { targets: { target: string; state: string }[] }[];
    };
    const targets = projects.flatMap((project) => project.targets);
    return { targets: Object.fromEntries(targets.map(({ target, state }) => [target, state])) };
  },
  "the heartbeat": (published) => {
    const { state, states } = parsed(published, "v1/report/index.json") as {
      state: string;
      states: Record<string, number>;
    };
    return { verdict: state, counts: states };
  },
  "the metrics": ({ texts }) => {
    const text = texts.get("metrics.txt") ?? "";
    const counts = pairsIn(text, /^mirrorfeed_nodes\{state="(\w+)"\} (\d+)$/gm);
    return {
      states: pairsIn(text, /^mirrorfeed_node_state\{id="(\d+)",state="(\w+)"\} 1$/gm),
      counts: Object.fromEntries(Object.entries(counts).map(([state, count]) => [state, Number(count)])),
    };
  },
  "the table of run": ({ table }) => {
    const totals = table.split("\n").find((line) => /^\d+ mirrors?: /.test(line)) ?? "";
    return { states: statesInRows(table), counts: countsIn(totals.replace(/^\d+ mirrors?:/, "")) };
  },
  "what run --brief adds": ({ changes, mirrors }) => {
    const lines = pairsIn(changes.slice(0, -1).join("\n"), /mirror (\d+)\) is ([a-z ]+) now/g);
    const states = Object.entries(lines).map(([id, word]) => [id, adjectives[word] ?? word] as const);
    // All other mirrors are unchanged.
    return { states: { ...stateOfEach(mirrors), ...Object.fromEntries(states) } };
  },
  "the change feed": (published) => {
    const { items } = parsed(published, "feed.json") as { items: { _mirrorfeed: Change }[] };
    const states = published.mirrors.map(({ id, state }) => {
      const last = items.map(({ _mirrorfeed: change }) => change).find((change) => change.id === id);
      // Maintenance is not a change, and mirrors that were never seen have no changes.
      const isTold = needs(state) && published.scene.runs === undefined;
      return [id, isTold ? stateAfter(last) : state] as const;
    });
    return { states: Object.fromEntries(states) };
  },
  notifications: ({ feed, mirrors }) => {
    const says = differenceOf(feed, Date.parse(feed.run.generated_at)).says.get("ops") ?? [];
    const told = says.flatMap(({ line }) => line.nodes.map((id) => [id, eventStates[line.event]] as const));
    const rest = mirrors.filter(({ state }) => !needs(state));
    return { states: { ...stateOfEach(rest), ...Object.fromEntries(told) } };
  },
  "the target pages": ({ texts, scene }) => {
    const pages = scene.targets.map((_, index) => texts.get(`status/s/p/t${index + 1}/index.html`) ?? "");
    return {
      states: statesInWords(
        pages.join(""),
        /<details [^>]*data-node=(\d+)[^>]*>.*?<dt>Status<dd><b class=(\w+)>([^<]+)/gs,
      ),
    };
  },
  "what needs attention on the overview": ({ texts, mirrors, scene }) => {
    const overview = texts.get("index.html") ?? "";
    // With a single target, the home page is that target's page. Its table lists all mirrors of the target.
    if (scene.targets.length === 1) {
      const row =
        /<tr data-item data-node="(\d+)"><td class="(\w+)">.*?<\/svg>([^<·]+?)(?: · [^<]+)?<\/td>/gs;
      return { states: statesInWords(overview, row) };
    }
    const [section = ""] = /<section class="problems".*?<\/section>/s.exec(overview) ?? [];
    const told = statesInWords(section, /href="https:\/\/m(\d+)\..*?<b class="(\w+)">([^<]+)/gs);
    const rest = mirrors.filter(({ state }) => !needs(state));
    return { states: { ...told, ...stateOfEach(rest) } };
  },
  "the search of the pages": (published) => {
    const { targets } = parsed(published, "search.json") as { targets: [string, ...Row[]][] };
    const rows = targets.flatMap(([, ...nodes]) => nodes);
    return { states: Object.fromEntries(rows.map(([id, , , states]) => [id, states])) };
  },
  "run --json": ({ json }) => {
    const { state, states, nodes } = JSON.parse(json) as {
      state: string;
      states: Record<string, number>;
      nodes: { id: number; state: string }[];
    };
    return { verdict: state, counts: states, states: stateOfEach(nodes) };
  },
};

/** Returns the mirrors in a target's list, in order. */
function listed({ texts, mirrors }: Published, path: string): Mirror[] {
  const ids = [...(texts.get(path) ?? "").matchAll(/^https:\/\/m(\d+)\./gm)].map(([, id]) => Number(id));
  return ids.flatMap((id) => mirrors.find((mirror) => mirror.id === id) ?? []);
}

/** Red if a target has no good mirror, else amber if any mirror needs attention. */
function shapeOf(verdict: MirrorState = "unknown", needsAttention: boolean): string {
  const isRed = verdict === "offline" || verdict === "wrong";
  return needsAttention && !isRed ? "some" : words[verdict][1];
}

/** Maps what headlines say about mirrors to the mirrors' state. */
const predicates: Readonly<Record<string, string>> = {
  ...{ reachable: "online", offline: "offline", behind: "behind" },
  ...{ "in maintenance": "maintenance", "still unknown": "unknown" },
  ...{ "does not serve what it lists": "wrong", "do not serve what they list": "wrong" },
  ...{ "differ from their reference": "differs", "differs from its reference": "differs" },
};

/** Returns how many mirrors are in each state, according to a page's headline and the text after it. */
function claimsIn(page: string): Record<string, number> {
  const [, head = ""] = /(<h1.*?)<(?:section|ul|p class)/s.exec(page) ?? [];
  const claims = head
    .replaceAll(/<\/?[a-z].*?>/gs, " ")
    .matchAll(
      /(?:All (?<all>\d+) mirrors|(?<both>Both) mirrors|The (?<only>only) mirror|(?<some>\d+)(?: of \d+)? mirrors?) (?:is |are |has |have )?(?<what>[a-z ]+)\./gi,
    );
  const counted = [...claims].flatMap(({ groups = {} }) => {
    const { all, both, only, some, what = "" } = groups;
    const count = only === undefined ? Number(both === undefined ? (all ?? some) : 2) : 1;
    const state = predicates[what];
    return state === undefined ? [] : [[state, count] as const];
  });
  return Object.fromEntries(counted);
}

/** Fails if a count on the page is wrong, or if the page does not mention a state that occurs and needs attention. */
function expectTrueClaims(page: string, counts: Readonly<Record<string, number>>): void {
  const claims = claimsIn(page);
  expect(counts).toMatchObject(claims);
  const allBehind = /Every (?:reachable )?mirror is at least .* behind\./i.test(page) ? ["behind"] : [];
  const occurring = attention.filter((state) => (counts[state] ?? 0) > 0);
  expect([...Object.keys(claims), ...allBehind]).toEqual(expect.arrayContaining(occurring));
}

/** Each scene is rendered only once. */
const all = scenes.map((scene) => {
  try {
    return publish(scene);
  } catch (cause) {
    throw new Error(`A feed of mirrors that are ${scene.name} cannot be rendered.`, { cause });
  }
});

describe.each(all)("a feed of mirrors that are $scene.name", (published) => {
  const { scene, mirrors, texts } = published;
  const truth = expected(mirrors);
  test("every output tells the same states and counts", () => {
    if (scene.locations !== undefined && truth.counts["unknown"] === 0)
      expect(published.table).toMatch(/\btimeout from asia\b/);
    for (const [output, read] of Object.entries(readers)) {
      const told = read(published);
      const wanted = Object.entries(truth).filter(([key]) => key in told);
      expect({ output, ...told }).toEqual({ output, ...Object.fromEntries(wanted) });
    }
  });

  test("headlines, dots, icons and badges are no better than the mirrors", () => {
    const page = (path: string): string => texts.get(path) ?? "";
    const overview = page("index.html");
    const worst = attention.find((state) => (truth.counts[state] ?? 0) > 0);
    const shape = shapeOf(truth.verdict, worst !== undefined);
    expect(/data-shape="(\w+)"/.exec(overview)?.[1]).toBe(shape);
    expect(/<h1><svg class="shape (\w+)"/.exec(overview)?.[1]).toBe(shape);
    expect(/assets\/icon-(\w+)\.svg/.exec(overview)?.[1]).toBe(shape);
    const tab = /data-state="([^"]+)"/.exec(overview)?.[1] ?? "";
    // The tab title agrees with the headline.
    const isFault = attention.some((state) => state === truth.verdict);
    const told = isFault ? truth.verdict : (worst ?? truth.verdict);
    if (told !== undefined && told !== "online")
      expect(tab).toMatch(new RegExp(`^${truth.counts[told]} (?:in )?${told.slice(0, 6)}`));
    expect(tab === "Online").toBe(truth.verdict === "online" && worst === undefined);
    if (scene.isVoid !== true) expectTrueClaims(overview, truth.counts);

    const statuspage = statuspageSummary.parse(parsed(published, "api/v2/summary.json"));
    const { indicator } = statuspage.status;
    expect(indicator === "none").toBe(truth.verdict === "online" && worst === undefined);
    expect(["major", "critical"].includes(indicator)).toBe(
      ["offline", "wrong"].includes(truth.verdict ?? ""),
    );

    for (const [target, best] of Object.entries(truth.targets)) {
      const own = mirrors.filter((mirror) => mirror.target === target);
      const needsAttention = own.some(({ state }) => needs(state));
      const component = statuspage.components.find(({ name }) => name === `s/p/${target}`);
      expect(component?.status === "major_outage").toBe(["offline", "wrong"].includes(best));
      expect(component?.status === "under_maintenance").toBe(best === "maintenance" && !needsAttention);
      const drawn = shapeOf(best, needsAttention);
      const targetPage = page(`status/s/p/${target}/index.html`);
      expect(/<h1><svg class="shape (\w+)"/.exec(targetPage)?.[1]).toBe(drawn);
      const counts = countsOf(own.map(({ state }) => state));
      if (scene.isVoid !== true) expectTrueClaims(targetPage, counts);
      type Badge = { message: string; color: string; isError?: true };
      const badge = parsed(published, `badge/s/p/${target}.json`) as Badge;
      expect(badge.color === "#2e7d32").toBe(best === "online" && !needsAttention);
      expect(component?.status === "operational").toBe(badge.color === "#2e7d32");
      expect(badge.isError === true).toBe(["offline", "wrong", "unknown"].includes(best));
      if (best === "online") expect(badge.message).toBe(`${counts["online"]} of ${own.length} online`);
      for (const text of [badge.message, badge.color])
        expect(page(`badge/s/p/${target}.svg`)).toContain(text);
    }
  });

  test("uptime and latency are the same numbers everywhere", () => {
    const metric = (name: string, id: number): number | undefined => {
      const pattern = new RegExp(`^mirrorfeed_node_${name}\\{id="${id}"\\} (.*)$`, "m");
      const [, value] = pattern.exec(texts.get("metrics.txt") ?? "") ?? [];
      return value === undefined ? undefined : Number(value);
    };
    const { targets } = parsed(published, "search.json") as { targets: [string, ...Row[]][] };
    const rows = new Map(targets.flatMap(([, ...nodes]) => nodes).map((row) => [row[0], row]));
    for (const [index] of scene.targets.entries()) {
      const { network } = parsed(published, `v1/report/s/p/t${index + 1}/index.json`) as Network;
      for (const { id, uptime, mean_latency_ms: latency } of network) {
        const { ratio } = uptime["90d"];
        const [, , , , shownRatio, shownLatency] = rows.get(id) ?? [];
        expect([metric("uptime_ratio", id), shownRatio ?? undefined]).toEqual([ratio, ratio]);
        expect([metric("mean_latency_seconds", id), shownLatency ?? undefined]).toEqual([
          latency && latency / 1000,
          latency,
        ]);
        const [, inTable] = new RegExp(`m${id}\\.example.* (\\d+) ms`).exec(published.table) ?? [];
        expect(inTable).toBe(latency === undefined ? undefined : String(latency));
      }
    }
  });

  test("lists begin with the best, and warn if none is online", () => {
    for (const [index, states] of scene.targets.entries()) {
      const order = listed(published, `mirrorlist/s/p/t${index + 1}.txt`).map(({ state }) =>
        preferences.indexOf(state),
      );
      expect(order).toEqual(order.toSorted((one, other) => one - other));
      expect(order).toHaveLength(states.length);
      const list = texts.get(`mirrorlist/s/p/t${index + 1}.conf`) ?? "";
      const comment = /^#.* Warning: .*\((.*)\)\.$/m.exec(list);
      const isWarned = !states.includes("online") && states.some((state) => needs(state));
      expect(comment !== null).toBe(isWarned);
      if (comment !== null && scene.targets.length === 1)
        expect(countsIn(`${comment[1] ?? ""},`)).toEqual(truth.counts);
    }
  });
});

describe("check and pick of a feed of mirrors that are", () => {
  let url: string;
  const folder = temporaryFolder();

  beforeAll(async () => {
    const server = await startServer(({ response, path }) => {
      const [, number, file = ""] = /^\/(\d+)\/(.*?)\/?$/.exec(path) ?? [];
      const texts = all[Number(number)]?.texts;
      const text = texts?.get(file) ?? texts?.get(`${file}/index.json`);
      response.writeHead(text === undefined ? 404 : 200, { "content-type": "application/json" }).end(text);
    });
    ({ url } = closeAfterFile(server));
  });

  test.each(all.filter(({ scene }) => scene.name.endsWith(", on one target")))(
    "$scene.name: both tell the same states",
    async (published) => {
      const { mirrors } = published;
      const run = (command: string) =>
        runInProcess([command, `${url}/${all.indexOf(published)}/`, "s/p/t1"], {
          folder,
          environment: { XDG_CACHE_HOME: folder },
          now: () => noon,
        });
      expect(statesInRows((await run("check")).stdout)).toEqual(stateOfEach(mirrors));
      const { code, stdout, stderr } = await run("pick");
      const picked = mirrors.find((mirror) => `${mirror.url}\n` === stdout);
      const best = expected(mirrors).targets["t1"];
      expect([code, picked?.state]).toEqual(best === "offline" ? [1, undefined] : [0, best]);
      expect(/Warning: .* (?:is behind:|differs:|its content is wrong\.)/.test(stderr)).toBe(
        best === "behind" || best === "wrong" || best === "differs",
      );
    },
  );
});
