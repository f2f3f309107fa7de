import fc from "fast-check";
import { type ComponentChildren, Fragment, h } from "preact";
import { renderToString } from "preact-render-to-string";
import { describe, expect, test } from "vitest";
import { mirrorStates } from "../../../src/core/verdict/mirror-state.ts";
import type { Freshness } from "../../../src/core/verdict/rank.ts";
import { nodesOf, type Target, targetsOf } from "../../../src/core/feed/feed.ts";
import { stateOf, verdictOf } from "../../../src/core/feed/verdict.ts";
import { contentCodeNames } from "../../../src/core/kinds/mirror-content.ts";
import { nodeDetails } from "../../../src/features/pages/mirror-page.tsx";
import { sitePageOf } from "../../../src/features/layout/page-feed.ts";
import { searchedStates } from "../../../src/features/layout/search-filter.ts";
import { countFound, pageState, summarize } from "../../../src/features/layout/state-summary.ts";
import {
  differenceText,
  evidenceNotes,
  runNote,
  sentenceIn,
  statesOf,
} from "../../../src/features/layout/node-status.tsx";
import { groupByHost, nowSection } from "../../../src/features/pages/now.tsx";
import { healthyFeed } from "../pages/feeds.ts";
import { firstOf } from "../pages/rendered.ts";
import type { FeedNode } from "../../../src/core/feed/feed-node.ts";

const { feed } = healthyFeed();
const { target: someTarget, node: someNode } = firstOf(feed);

const disagreement = {
  online: [{ vantage: "usa", code: "ok" }],
  offline: [{ vantage: "eu", code: "timeout" }],
};

/** A node's state, or the problem with its content. A `?` means that the locations disagree. */
const sorts = [
  ...mirrorStates.filter((state) => state !== "wrong"),
  ...contentCodeNames,
  ...(["online?", "offline?"] as const),
];

function nodeOf(sort: (typeof sorts)[number]): FeedNode {
  const state = sort.replace("?", "");
  const freshness: Freshness = state === "behind" || state === "differs" ? state : "in_sync";
  const node = {
    ...someNode,
    status: state === "offline" ? (0 as const) : (1 as const),
    code: state === "unknown" ? undefined : state === "offline" ? "timeout" : "ok",
    content_code: contentCodeNames.find((code) => code === state),
    freshness,
    behind_since: state === "behind" ? "2026-11-21T01:00:00.000Z" : undefined,
    late: state === "behind",
    maintenance: state === "maintenance" ? "new disks" : undefined,
    disagreement: sort.endsWith("?") ? disagreement : undefined,
  };
  return { ...node, state: stateOf(node) };
}

/** Returns the targets `t0`, `t1`, … of a text such as `online, offline; behind`: the first has two mirrors, the second one. */
function targetsWith(text: string, change: (node: FeedNode) => FeedNode = (node) => node): Target[] {
  return text.split("; ").map((mirrors, index) => {
    const nodes = mirrors.split(", ").map((name) => {
      const sort = sorts.find((one) => one === name);
      if (sort === undefined) throw new Error(`No mirror is ${name}.`);
      return change(nodeOf(sort));
    });
    return { ...someTarget, target: `t${index}`, nodes };
  });
}

const run = { generated_at: "2026-11-21T12:00:00.000Z" };
const known = { ...feed, ...sitePageOf(feed.site, "/"), run: { ...feed.run, ...run } };

test("mirrors are up to date only if that is known of each", () => {
  const targets = targetsWith("online, online, online");
  for (const freshness of ["unknown", "behind"] as const) {
    const nodes = targets.flatMap((target) => [...target.nodes.slice(1), { ...nodeOf("online"), freshness }]);
    expect(summarize(known, [{ ...someTarget, nodes }]).sentence).toBe("All 3 mirrors are reachable.");
  }
  // All of them are in sync with a reference that has expired.
  const expired = targets.map((target) => ({ ...target, warnings: ["expired" as const] }));
  expect(summarize(known, expired).sentence).toBe("All 3 mirrors are reachable.");
});

test("the tab says what the headline says", () => {
  const targets = targetsWith("expired, offline, offline; online, offline");
  expect(summarize(known, targets).sentence).toBe("No mirror of t0 has the right content.");
  expect(pageState(verdictOf(targets)).text).toBe("1 wrong");
  // If each target has a good mirror, the text counts the mirrors that are not good.
  expect(pageState(verdictOf(targets.slice(1))).text).toBe("1 offline");
});

const html = (shown: ComponentChildren): string => renderToString(h(Fragment, null, shown));

/** Joins shape, sentence and details. */
function lineOf(targets: readonly Target[]): string {
  const { shape, sentence, details } = summarize(known, targets);
  return [`${shape}: ${sentence}`, ...details].join(" ");
}

describe("the headline", () => {
  const headlines = {
    online: "online: The only mirror is up and up to date.",
    "online, online": "online: Both mirrors are up and up to date.",
    "online; online; online": "online: All 3 mirrors are up and up to date.",
    offline: "offline: The only mirror is offline.",
    "offline, offline": "offline: Both mirrors are offline.",
    "unknown, unknown": "unknown: Both mirrors are still unknown.",
    maintenance: "unknown: The only mirror is in maintenance.",
    "expired, expired, expired": "wrong: All 3 mirrors have expired indexes.",
    half_synced: "wrong: The only mirror is half synced.",
    "differs, differs": "some: Both mirrors differ from their reference.",
    "behind, behind, behind": "some: All 3 mirrors are behind.",
    "expired, missing_file":
      "wrong: No mirror has the right content. 1 of 2 mirrors is missing a file. 1 mirror has an expired index.",
    "online, unknown, maintenance":
      "online: 1 of 3 mirrors is up and up to date. 1 mirror is in maintenance. 1 mirror is still unknown.",
    "offline, unknown":
      "some: No mirror is known to be reachable yet. 1 of 2 mirrors is offline. 1 mirror is still unknown.",
    "offline, maintenance":
      "some: No mirror is reachable and not in maintenance. 1 of 2 mirrors is offline. 1 mirror is in maintenance.",
    "online, behind": "some: 1 of 2 mirrors is behind.",
    "online, offline; online": "some: 1 of 3 mirrors is offline. Every target still has a good mirror.",
    "online, differs, expired, offline":
      "some: 3 of 4 mirrors need attention. 1 of 4 mirrors is offline. 1 mirror has an expired index. 1 mirror differs from its reference.",
    "behind, offline; online":
      "some: No mirror of t0 is up to date. 1 of 3 mirrors is offline. 1 mirror is behind.",
    "online, offline; maintenance": "some: 1 of 3 mirrors is offline. 1 mirror is in maintenance.",
    "online; maintenance": "online: 1 of 2 mirrors is up and up to date. 1 mirror is in maintenance.",
    "offline; online": "offline: No mirror of t0 is reachable. 1 of 2 mirrors is offline.",
    "offline; expired; offline; online":
      "offline: No mirror of t0 or t2 is reachable. 2 of 4 mirrors are offline. 1 mirror has an expired index.",
    "differs; differs; differs; differs; online":
      "some: 4 of 5 targets have no mirror that matches its reference. 4 of 5 mirrors differ from their reference.",
    "online?, online": "online: No mirror is offline. The locations disagree about 1 mirror.",
    "online?": "online: The only mirror is up and up to date. The locations disagree about 1 mirror.",
    "offline?, offline": "offline: No mirror is reachable. The locations disagree about 1 mirror.",
  };

  test.each(Object.entries(headlines))("of the mirrors %s says the verdict", (mirrors, line) => {
    expect(lineOf(targetsWith(mirrors))).toBe(line);
  });

  test.each([
    ["behind, behind", "15T23", "some: Every mirror is at least 5 days behind."],
    ["behind", "15T23", "some: The only mirror is at least 5 days behind."],
    [
      "behind, offline",
      "15T23",
      "some: Every reachable mirror is at least 5 days behind. 1 of 2 mirrors is offline.",
    ],
    ["behind, expired", "15T23", expect.stringContaining("No mirror is up to date.")],
    ["behind, behind", "20T13", "some: Both mirrors are behind."],
  ])("says how far every mirror is behind, to the start of the day: %s since %s", (mirrors, hour, line) => {
    const behind_since = `2026-11-${hour}:00:00.000Z`;
    const targets = targetsWith(mirrors, (node) =>
      node.state === "behind" ? { ...node, behind_since } : node,
    );
    expect(lineOf(targets)).toEqual(line);
  });

  const target = fc.array(fc.constantFrom(...sorts), { minLength: 1, maxLength: 4 });
  const texts = fc
    .array(target, { minLength: 1, maxLength: 3 })
    .map((all) => all.map((mirrors) => mirrors.join(", ")).join("; "));

  test("says all or both only if all are in one condition and the locations agree, and ends each sentence", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const line = lineOf(targetsWith(text));
        const kinds = new Set(text.split(/[,;] /));
        if (kinds.size > 1) expect(line).not.toMatch(/\b(?:all|both)\b/i);
        expect(line).toMatch(/^\w+: (?:[^.]+\. )*[^.]+\.$/);
      }),
    );
  });

  test("is green only if no mirror needs attention, and agrees with the tab", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const targets = targetsWith(text);
        const verdict = verdictOf(targets);
        const { shape } = summarize(known, targets);
        expect(shape === "online").toBe(verdict.state === "online" && verdict.attention === 0);
        expect(pageState(verdict).shape).toBe(shape);
        expect(pageState(verdict).text === "Online").toBe(shape === "online");
      }),
    );
  });

  test("before any mirror was reached says that nothing is known", () => {
    const summary = summarize({ ...known, everReached: false }, targetsWith("unknown, unknown"));
    expect(summary).toMatchObject({ shape: "unknown", sentence: "Nothing is known yet." });
  });
});

test("a mirror has one state, and its certificate", () => {
  const soon = { ...nodeOf("behind"), tls_expires_at: "2026-11-23T00:00:00.000Z" };
  expect(statesOf(known, soon)).toEqual(["behind", "certificate"]);
  const nodes = [soon, nodeOf("offline"), nodeOf("expired"), nodeOf("expired")];
  const found = countFound(
    searchedStates,
    nodes.flatMap((node) => statesOf(known, node)),
  );
  expect(found.join(" ")).toBe("offline,1 wrong,2 behind,1 certificate,1");
});

test("a mirror whose content makes it offline says since when it is behind", () => {
  const behind = { ...nodeOf("offline"), code: "behind", behind_since: "2026-11-18T01:00:00.000Z" };
  expect(html(evidenceNotes(known, behind))).toMatch(/behind .*18 Nov 2026/);
  expect(html(nodeDetails(known, behind))).toMatch(/<dt>Freshness.*?behind .*?18 Nov 2026/);
});

test("an expired certificate is told with its date", () => {
  const expired = { cause: "CERT_HAS_EXPIRED", tls_expires_at: "2026-11-30T10:00:00Z" };
  expect(sentenceIn(known.format, "tls", expired)).toBe("Its certificate expired on 30 Nov 2026.");
  expect(sentenceIn(known.format, "tls", { cause: "CERT_REVOKED" })).toBe("Its certificate was revoked.");
});

test("the last run is not told twice if the locations disagree", () => {
  const seen = (node: FeedNode) => ({ ...node, observed: { ...node.observed, code: "timeout" } });
  expect(runNote(known, seen(nodeOf("online")))).toBe("in the last run: It did not answer in time");
  expect(runNote(known, seen(nodeOf("online?")))).toBeUndefined();
});

test("the names of refs are shown without characters that a page obeys", () => {
  const names = { missing: ["refs/tags/v1\u202e"], extra: [], different: ["refs/heads/\u0085a\u2028"] };
  expect(differenceText({ missing: 7, extra: 0, different: 1, names })).toBe(
    "7 missing refs (v1\\u202e, …), 1 different ref (\\u0085a\\u2028)",
  );
});

describe("one fault of three mirrors of a host is one line, and of two it is two:", () => {
  const since = "2026-11-15T12:00:00.000Z";
  const faults: Readonly<Record<string, Partial<FeedNode>>> = {
    offline: { state: "offline", status: 0, code: "dns", since },
    expired: { state: "wrong", content_code: "expired" },
    behind: { state: "behind", behind_since: since },
    differs: { state: "differs" },
    certificate: { tls_expires_at: "2026-11-23T00:00:00.000Z" },
    disagreement: { disagreement },
  };

  test.each(Object.entries(faults))("%s", (_, fault) => {
    const nodes = nodesOf(targetsOf(feed.systems)).slice(0, 10);
    const failed = nodes.map((node) => ({
      ...node,
      ...(node.id <= 4 ? { state: "offline" as const, status: 0 as const, code: "tls" } : fault),
    }));
    const groups = groupByHost(known, failed);
    expect(groups.map((nodes) => nodes.map(({ id }) => id))).toEqual([
      [1],
      [3],
      [2],
      [4],
      [5, 7, 9],
      [6, 8, 10],
    ]);
  });

  test("the line has what all of them have", () => {
    let id = 90;
    const targets = targetsWith("offline, offline, offline", (node) => {
      id += 1;
      return { ...node, id, code: "http_status", http_status: 500 + id };
    });
    const [first] = nodesOf(targets);
    if (first === undefined) throw new Error("There are three mirrors.");
    expect(html(nowSection(known, [{ ...someTarget, nodes: [first] }]))).toContain("HTTP error (HTTP 591)");
    expect(html(nowSection(known, targets))).toMatch(/3 mirrors at .*HTTP error(?! \(HTTP)/);
  });

  test("those behind since another time are another line", () => {
    const nodes = nodesOf(targetsOf(feed.systems)).filter(({ host }) => host === "github.com");
    const behind = nodes.slice(0, 3).map((node, day): FeedNode => {
      return { ...node, state: "behind", behind_since: `2026-11-1${day}T12:00:00.000Z` };
    });
    expect(groupByHost(known, behind)).toHaveLength(3);
  });
});
