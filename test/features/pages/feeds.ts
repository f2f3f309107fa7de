import { readFileSync } from "node:fs";
import { listNodes, type Node } from "../../../src/core/config/nodes.ts";
import { parseNotice } from "../../../src/core/config/notice.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import type { Observation } from "../../../src/core/probe/observation.ts";
import { type Feed, nodesOf, targetsOf } from "../../../src/core/feed/feed.ts";
import { maintenanceOf, noticesOf } from "../../../src/core/feed/incidents.ts";
import { withHtml } from "../../../src/features/incidents/notice-markdown.ts";
import type { VantageRound } from "../../../src/core/state/round.ts";
import { advanceState, resolveRound } from "../../../src/app/advance-feed.ts";
import type { FeedState } from "../../../src/app/state-document.ts";
import { day, hour } from "../../support/playing.ts";
import { type Seen, vantageOf } from "../../support/rounds.ts";

export interface PlayedFeed {
  readonly config: Config;
  readonly feed: Feed;
  /** Returns the feed after one more run in which nothing changed. */
  readonly later: () => Feed;
}

type See = (node: Node, at: number) => Partial<Observation> | undefined;

/** The last run of each feed is at this time or, with `anotherDay`, a day later. */
export const lastRun = Date.parse("2026-11-21T12:00:00Z");

const start = lastRun - 100 * day;
const defaultInterval = 6 * hour;
const defaultSite = { title: "Mirror status", interval: "6h" };
const communityConfig: unknown = JSON.parse(readFileSync("test/support/community-mirrors.json", "utf8"));

/**
 * Returns a feed of community-mirrors.json with all mirrors online for a hundred days. With `anotherDay`, the runs go
 * on for another day. The node with the id `downNow` times out in the run at `lastRun`.
 */
export function healthyFeed({ anotherDay = false, downNow = 0 } = {}): PlayedFeed {
  const runs = runsFrom(start, lastRun + (anotherDay ? day : 0));
  return playOnce(["healthy", anotherDay, downNow], () =>
    play(
      communityFeed(),
      runs,
      (node, at) => (node.id === downNow && at === lastRun ? { code: "timeout" } : good(node, at)),
      { history: anotherDay ? "healthy for another day" : "healthy" },
    ),
  );
}

/** Returns a feed of community-mirrors.json with every kind of problem: see `partial`. */
export function partialFeed(base = "", site: object = {}): PlayedFeed {
  const url = base === "" ? {} : { url: `https://status.example.org${base}` };
  const config = communityFeed({ site: { ...defaultSite, ...url, ...site }, maintenance: [movingDisks(14)] });
  // No runs for five days.
  const runs = runsFrom(start).filter((at) => at < lastRun - 45 * day || at > lastRun - 40 * day);
  return playOnce(["partial", base, site], () =>
    play(config, runs, partial, { joinedAt: lastRun - 20 * day, history: "partial" }),
  );
}

/** Returns a feed whose mirrors have all been offline for a day, while a control proves that the prober is online. */
export function downFeed(): PlayedFeed {
  return playOnce(["down"], () =>
    play(communityFeed(), runsFrom(start), (node, at) =>
      at > lastRun - day ? { code: node.id % 2 === 0 ? "timeout" : "refused" } : good(node, at),
    ),
  );
}

/** Returns a feed after its first run, whose prober was offline. */
export function offlineFeed(): PlayedFeed {
  return play(communityFeed(), [lastRun], [{ see: () => ({ code: "dns" }), control: "dns" }]);
}

/** Returns a feed after its first run, without history. */
export function firstFeed(): PlayedFeed {
  return play(communityFeed(), [lastRun], (node, at) =>
    node.id === 3 ? undefined : node.id === 8 ? { code: "auth", http_status: 401 } : good(node, at),
  );
}

/** Returns a feed with three vantages: one is offline, one is missing a shard, and two disagree. */
export function vantagesFeed(): PlayedFeed {
  return play(
    communityFeed(),
    [lastRun - 6 * hour, lastRun],
    [
      { name: "asia", control: "dns", see: () => ({ code: "dns" }) },
      { name: "eu", see: (node, at) => (node.id === 5 ? { code: "timeout" } : good(node, at)) },
      { name: "usa", see: (node, at) => (node.id === 7 ? undefined : good(node, at)), missingShards: [2] },
    ],
  );
}

/** What happens to a mirror of `fourFeed` in the last six days. */
export type Fate =
  | "online"
  | "offline"
  | "expired"
  | "half_synced"
  | "missing_file"
  | "wrong_size"
  | "behind"
  | "differs"
  | "unread";

/**
 * Returns a feed with a month of history. Its target has four mirrors, and the first is the primary. `maintenance` and
 * `split` contain ids of mirrors. If `split` isn't empty, two locations probe the mirrors, and in the last day one of
 * the locations cannot reach those in `split`. With `hasMajority`, a third location can reach them.
 */
export function fourFeed(
  fates: readonly [Fate, Fate, Fate, Fate],
  { maintenance = [], split = [], hasMajority = false, isTwice = false }: FourOptions = {},
): PlayedFeed {
  const hosts = ["deb.example.org", "mirror.example.com", "ftp.example.net", "mirrors.example.edu"];
  const names = isTwice ? ["archive", "ports"] : ["archive"];
  const projects = names.map((name, index) => {
    const target = targetOf(name, index, 4, (mirror) => ({ url: `https://${hosts[mirror]}/${name}` }));
    return { project: ["debian", "ubuntu"][index], targets: [{ ...target, primary: index * 4 + 1 }] };
  });
  const systems = [{ system: "linux", projects }];
  const config = validated({ systems, maintenance: maintenance.map(movingDisks) });
  const see: See = (node, at) => {
    const fate = lastRun - at < 6 * day ? (fates[(node.id - 1) % 4] ?? "online") : "online";
    const seen = good(node, at);
    if (fate === "online") return seen;
    if (fate === "offline") return { code: "timeout" };
    if (fate === "behind") return { ...seen, revision: revisionOf(node, lastRun - 6 * day) };
    if (fate === "differs") return { ...seen, revision: foreign(node.id) };
    if (fate === "unread") return { latency_ms: 70 };
    return { ...seen, content_code: fate };
  };
  const apart: See = (node, at) =>
    split.includes(node.id) && at > lastRun - day ? { code: "timeout" } : see(node, at);
  const third = hasMajority ? [{ name: "asia", see }] : [];
  const locations = [{ name: "eu", see }, { name: "usa", see: apart }, ...third];
  return playOnce(["four", fates, maintenance, split, hasMajority, isTwice], () =>
    play(config, runsFrom(lastRun - 30 * day), split.length === 0 ? see : locations),
  );
}

interface FourOptions {
  readonly maintenance?: readonly number[];
  readonly split?: readonly number[];
  readonly hasMajority?: boolean;
  /** Adds a project with a copy of the target, since a feed with one target has only one page. */
  readonly isTwice?: boolean;
}

/**
 * Returns a feed with `days` of history, a run every `hours`, and targets with many mirrors. `failed` and `unobserved`
 * are shares of runs. Mirrors 41, 82 and so on have been offline for two days. In the last run, the node with the id
 * `downNow` times out, or with `halfDown` every other node.
 */
export function manyMirrorsFeed(
  mirrors: number,
  { targets = 1, days = 100, hours = 6, downNow = 0, halfDown = false, failed = 0.01, unobserved = 0 } = {},
): PlayedFeed {
  const list = Array.from({ length: targets }, (_, index) => {
    const url = (mirror: number) => `https://mirror-${mirror + 1}.example.org/linux/release-${index + 1}`;
    return targetOf(`release-${index + 1}`, index, mirrors, (mirror) => ({ url: url(mirror) }));
  });
  const config = validated({
    systems: [{ system: "linux", projects: [{ project: "archive", targets: list }] }],
    site: { ...defaultSite, interval: `${hours}h` },
  });
  const see: See = (node, at) => {
    const isDown = node.id === downNow || (halfDown && node.id % 2 === 0);
    if (isDown && at === lastRun) return { code: "timeout" };
    if (node.id % 41 === 0 && at > lastRun - 2 * day) return { code: "refused" };
    const fate = chance(node.id * 104_729 + at / hour);
    if (fate < failed) return { code: "timeout" };
    return fate < failed + unobserved ? undefined : good(node, at);
  };
  const history = JSON.stringify(["many", mirrors, targets, days, hours, failed, unobserved]);
  const runs = runsFrom(lastRun - days * day, lastRun, hours * hour);
  return playOnce([history, downNow, halfDown], () => play(config, runs, see, { history }));
}

/** Returns a feed of a target with 400 mirrors. With four runs a day, playing it would take a quarter of a minute. */
export function fourHundredMirrorsFeed(): PlayedFeed {
  return manyMirrorsFeed(400, { hours: 24, failed: 0.04 });
}

/** Returns a feed with three targets. In each, all mirrors but one have a country. */
export function countriesFeed(): PlayedFeed {
  const countries = ["DE", "FR", "JP", undefined];
  const targets = ["debian", "ubuntu", "alpine"].map((target, index) =>
    targetOf(target, index, 4, (mirror) => ({
      url: `https://mirror-${mirror + 1}.example.org/${target}`,
      country: countries[mirror],
    })),
  );
  const config = validated({ systems: [{ system: "linux", projects: [{ project: "archive", targets }] }] });
  return playOnce(["countries"], () =>
    play(config, runsFrom(start), (node, at) => (node.id === 6 ? { code: "timeout" } : good(node, at))),
  );
}

/** Returns a feed of ten targets with five mirrors each, all with many failures and gaps. */
export function fiftyNodesFeed(): PlayedFeed {
  return manyMirrorsFeed(5, { targets: 10, failed: 0.04, unobserved: 0.01 });
}

/** Returns a feed with hostile names, very long names, and names in many scripts. */
export function hostileFeed(): PlayedFeed {
  const names = [
    `"><img src=x onerror=alert(1)>`,
    `</title></main><script>alert(1)</script>`,
    `a&amp;b ' " \` \${x} {{y}}`,
    "зеркало · ミラー · مرآة · 🪞",
    "m".repeat(200),
    "many words that go on and on ".repeat(6).trim(),
  ];
  const network = names.map((name, index) => ({
    id: index + 1,
    name,
    url: `https://m${index}.example.org/a/b?q="><script>`.replace(/["<>]/g, encodeURIComponent),
  }));
  const targets = [
    { target: "t".repeat(100), network },
    { target: "one", network: [{ id: 99, url: `https://one.example.org/${"x/".repeat(60)}y` }] },
  ];
  const reason = `"><img onerror=alert(1)>`;
  const config = validated({
    systems: [{ system: "s".repeat(100), projects: [{ project: "p".repeat(100), targets }] }],
    probe: { kind: "http" },
    site: { ...defaultSite, title: `<b>"Title" & ${"long ".repeat(20)}</b>` },
    maintenance: [{ scope: 1, from: "2026-11-21T00:00:00Z", to: "2026-11-22T00:00:00Z", reason }],
  });
  return play(config, runsFrom(lastRun - 5 * day), (node, at) =>
    node.id % 2 === 0 ? { code: "timeout" } : { latency_ms: good(node, at).latency_ms ?? 0 },
  );
}

/** Returns a feed with targets in ten projects on 500 hosts. A mirror is always offline if `offline` divides its id. */
export function largeFeed(targets: number, mirrors = 4, days = 3, offline = 97): PlayedFeed {
  const inProject = targets / 10;
  const projects = Array.from({ length: 10 }, (_, project) => ({
    project: `project-${project}`,
    targets: Array.from({ length: inProject }, (_, target) =>
      targetOf(`target-${target}`, project * inProject + target, mirrors, (_, id) => ({
        url: `https://mirror${id % 500}.example.org/project-${project}/target-${target}`,
      })),
    ),
  }));
  const site = { title: "Large feed", interval: "24h" };
  const config = validated({ systems: [{ system: "large", projects }], site });
  const runs = runsFrom(lastRun - days * day, lastRun, day);
  const see: See = (node, at) => {
    if (node.id % 500 === 7 && at === lastRun) return { code: "timeout" };
    return node.id % offline === 0 ? { code: "http_status", http_status: 404 } : good(node, at);
  };
  return playOnce(["large", targets, mirrors, days, offline], () => play(config, runs, see));
}

/** Returns a target of `mirrors` mirrors. Targets before it, of as many mirrors, have the ids before its own. */
function targetOf(
  target: string,
  index: number,
  mirrors: number,
  nodeOf: (mirror: number, id: number) => { readonly url: string; readonly country?: string | undefined },
) {
  const network = Array.from({ length: mirrors }, (_, mirror) => {
    const id = index * mirrors + mirror + 1;
    return { id, ...nodeOf(mirror, id) };
  });
  return { target, network };
}

/** Returns maintenance during the last run. */
function movingDisks(scope: number) {
  return { scope, from: "2026-11-21T06:00:00Z", to: "2026-11-22T00:00:00Z", reason: "moving to new disks" };
}

/** Returns what `partialFeed` observes at a node. */
function partial(node: Node, at: number): Partial<Observation> {
  const age = lastRun - at;
  const seen = good(node, at);
  const old = { ...seen, revision: revisionOf(node, lastRun - 6 * day) };
  switch (node.id) {
    case 2:
      return age <= 18 * hour ? { code: "timeout" } : seen;
    case 4:
      return age < 6 * day ? old : seen;
    case 6:
      return age < 6 * day ? { ...seen, revision: foreign(node.id) } : seen;
    case 9:
    case 10:
      return age <= 6 * hour || (age > 30 * day && age < 32 * day)
        ? { code: "http_status", http_status: 502 }
        : seen;
    case 12:
      return { ...seen, tls_expires_at: "2026-11-30T10:00:00.000Z" };
    case 16:
      // Usually, this mirror fails only now and then. For five days, it failed in every run.
      return (age > 50 * day && age < 55 * day) || chance(node.id * 7919 + at / hour) < 0.12
        ? { code: "reset" }
        : seen;
    case 18:
      return age < 12 * day ? { code: "auth", http_status: 401 } : seen;
    case 20:
      return age < hour ? { code: "rate_limited", http_status: 429 } : seen;
    default:
      return chance(node.id * 104_729 + at / hour) < 0.004 ? { code: "timeout" } : seen;
  }
}

function good({ id, target }: Pick<Node, "id" | "target">, at: number): Partial<Observation> {
  const swing = 1 + 0.25 * Math.sin(at / (9 * day) + id) + 0.3 * chance(id + at / hour);
  const latency_ms = Math.round((id % 2 === 0 ? 70 : 160 + (id % 5) * 30) * swing);
  return {
    latency_ms,
    revision: revisionOf({ target }, at),
    branch: "main",
    tls_expires_at: "2027-02-03T10:00:00.000Z",
  };
}

/** Returns a commit that only one mirror has. Servers say that the reference's history does not reach it. */
function foreign(id: number): string {
  return `${id}`.padStart(40, "d");
}

/** Returns a target's revision, which changes every five days. */
function revisionOf({ target }: Pick<Node, "target">, at: number): string {
  const number = Math.floor(at / (5 * day)) * 131 + target.length;
  return (number * 2_654_435_761).toString(16).padStart(16, "5").slice(0, 16).repeat(3).slice(0, 40);
}

/** Returns a number from 0 to 1 that depends only on the seed. */
function chance(seed: number): number {
  let mixed = Math.imul(Math.floor(seed) ^ 0x9e3779b9, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
}

function runsFrom(first: number, last = lastRun, interval = defaultInterval): number[] {
  return Array.from({ length: (last - first) / interval + 1 }, (_, index) => first + index * interval);
}

interface Vantage {
  readonly name?: string;
  readonly see: See;
  readonly control?: "ok" | "dns";
  readonly missingShards?: readonly number[];
}

const played = new Map<string, PlayedFeed>();
const statesBefore = new Map<string, FeedState | undefined>();

/** Plays the runs of each feed only once per process, since hundreds of runs take half a second. */
function playOnce(parameters: readonly unknown[], make: () => PlayedFeed): PlayedFeed {
  const key = JSON.stringify(parameters);
  const feed = played.get(key) ?? make();
  played.set(key, feed);
  return feed;
}

/**
 * Returns the feed after these runs. Node 22 joins the feed at `joinedAt`. Feeds with the same `history` share all runs
 * but the last.
 */
function play(
  config: Config,
  runs: readonly number[],
  vantages: See | readonly Vantage[],
  { joinedAt = 0, history = "" } = {},
): PlayedFeed {
  const all = listNodes(config);
  const last = runs.at(-1) ?? lastRun;
  const step = (at: number, before?: FeedState, seenAt = at) => {
    const nodes = all.filter(({ id }) => id !== 22 || at >= joinedAt);
    const own = typeof vantages === "function" ? [{ see: vantages }] : vantages;
    const round = {
      run: `run-${at}`,
      at,
      vantages: own.map((vantage) => vantageRound(vantage, nodes, at, seenAt)),
      history: Object.fromEntries(
        nodes.map(({ id, place }) => [place, { "refs/heads/main": { [foreign(id)]: { past: false } } }]),
      ),
    };
    return { round, after: advanceState(config, nodes, round, before) };
  };
  const feedOf = ({ round, after }: ReturnType<typeof step>): Feed => resolveRound(config, all, round, after);
  let before = statesBefore.get(history);
  if (before === undefined) for (const at of runs.slice(0, -1)) before = step(at, before).after.state;
  if (history !== "") statesBefore.set(history, before);
  const end = step(last, before);
  return {
    config,
    feed: feedOf(end),
    later: () => feedOf(step(last + hour, end.after.state, last)),
  };
}

function vantageRound(
  { name = "default", see, control = "ok", missingShards = [] }: Vantage,
  nodes: readonly Node[],
  at: number,
  seenAt: number,
): VantageRound {
  const seen: Seen[] = [];
  for (const node of nodes) seen[node.id - 1] = see(node, seenAt);
  return { ...vantageOf(name, seen, [control], new Date(at - 1000).toISOString()), missingShards };
}

function communityFeed(more: object = {}): Config {
  const community = typeof communityConfig === "object" ? communityConfig : {};
  return validated({ ...community, ...more });
}

function validated(config: object): Config {
  return validateConfig(JSON.stringify({ site: defaultSite, ...config }), "mirrors.json");
}

const noticeTexts = {
  move: `---
title: gitea.example.org moves to new disks
targets: [community/jcb/gitea]
from: 2026-11-21T05:00:00Z
state: identified
next: 2026-11-21T14:00:00Z
---

The disks are **full**. Read [the page of the provider](https://provider.example.org/status).

## What you can do

| Mirror | Until |
| ------ | ----- |
| first  | 14:00 |

\`\`\`
git remote set-url origin https://git.vdm.dev/joomla/gitea
\`\`\`

> It takes some hours. ![A picture of a disk](https://pictures.example.org/disk.png)

- Take another target for now.

## 2026-11-21T09:00:00Z investigating

Somebody is on the way.

## 2026-11-21T11:30:00Z

# The first disk is new

The [second](../next-week/) follows.
`,
  "next-week": `---
title: A firewall is replaced
mirrors: [1, 3]
from: 2026-11-28T05:00:00Z
to: 2026-11-28T07:00:00Z
state: planned
---
Short interruptions.
`,
  "old-host": `---
title: An old host was shut down
mirrors: [1, 99]
targets: [community/jcb/retired]
from: 2026-11-10T05:00:00Z
to: 2026-11-12T05:00:00Z
state: resolved
---
Its mirrors have left.
`,
  survey: `---
title: Which mirrors do you miss
from: 2026-11-20T00:00:00Z
to: 2026-12-01T00:00:00Z
---
By mail.
`,
};

/** Returns `partialFeed` with three notices, an announcement, and current and planned maintenance. */
export function noticedFeed(): PlayedFeed {
  const played = partialFeed();
  const known = listNodes(played.config);
  const notices = Object.entries(noticeTexts).map(([name, text]) => {
    return withHtml(parseNotice(text, name, `${name}.md`, known));
  });
  const windows = [
    ...played.config.maintenance,
    { scope: "git.vdm.dev", from: "2026-11-25T06:00:00Z", to: "2026-11-25T08:00:00Z", reason: "updates" },
  ];
  const noticed = (feed: Feed): Feed => {
    const nodes = nodesOf(targetsOf(feed.systems));
    return { ...feed, notices: noticesOf(notices, nodes), maintenance: maintenanceOf(windows, nodes) };
  };
  return { ...played, feed: noticed(played.feed), later: () => noticed(played.later()) };
}

/** A feed in each state, and a feed for each page layout that depends on the feed's size. */
export const everyFeed: Readonly<Record<string, () => PlayedFeed>> = {
  healthy: healthyFeed,
  partial: partialFeed,
  "partial below a path": () => partialFeed("/mirrors/feed"),
  down: downFeed,
  offline: offlineFeed,
  first: firstFeed,
  hostile: hostileFeed,
  vantages: vantagesFeed,
  "one page for each mirror": () => largeFeed(10, 12),
  folded: () => largeFeed(30),
  counted: () => largeFeed(1010, 1),
};
