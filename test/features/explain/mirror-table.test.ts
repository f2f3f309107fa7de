import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { mirrorTable, rowsOf } from "../../../src/features/explain/mirror-rows.ts";
import { notifiedConfig } from "../../support/notified-feed.ts";
import { except, noon, roundOf } from "../../support/playing.ts";
import { networkAt, projectConfig, type Seen } from "../../support/rounds.ts";
import { advanceState, resolveRound } from "../../../src/app/advance-feed.ts";

test("of a long feed, only what needs attention is listed", () => {
  const hundreds = Array.from({ length: 250 }, (_, index) => ({ id: index + 1, path: `x/${index + 1}` }));
  const long = notifiedConfig(hundreds, []);
  const all = listNodes(long);
  const tableOf = (seenOf: (id: number) => Seen): string[] => {
    const own = roundOf(all, { at: noon, vantages: { default: seenOf } });
    const feed = resolveRound(long, all, own, advanceState(long, all, own, undefined));
    return mirrorTable(rowsOf({ nodes: all, round: own, feed }), feed).split("\n");
  };
  const wrong = { content_code: "expired" } as const;
  const few = tableOf((id) => (id === 7 ? wrong : id === 200 ? "timeout" : id === 9 ? "rate_limited" : "ok"));
  expect(few.map((line) => line.split(/ {2,}/).slice(0, 3).join(" ").trim())).toEqual([
    "s/p/t",
    "✗ wrong a.example.org/x/7",
    "○ offline a.example.org/x/200",
    "Not listed: 248 more mirrors.",
    "250 mirrors: 247 online, 1 unknown, 1 wrong, 1 offline.",
  ]);
  expect(tableOf(() => "ok")).toEqual(["Not listed: 250 more mirrors.", "250 mirrors: 250 online."]);
});

test("a probe alone says what it saw, without the runs before it", () => {
  const urls = [1, 2, 3].map((id) => `https://m${id}.example.org/a`);
  const nodes = listNodes(projectConfig([{ target: "t", network: networkAt(urls) }]));
  const wrong = { code: "ok", http_status: 200, content_code: "expired" };
  const saw = { 1: wrong, 2: "rate_limited", 3: "timeout" };
  const round = roundOf(nodes, { at: noon, vantages: except(saw) });
  const [, first, second, third, totals] = mirrorTable(rowsOf({ nodes, round })).split("\n");
  expect(first).toMatch(/^ {2}✗ wrong .* expired +5\d ms {2}Its index has expired: [^(]*$/);
  expect(second).toMatch(/^ {2}◌ unknown .* It answered that there were too many requests/);
  expect(third).toMatch(/^ {2}○ offline .* timeout +It did not answer in time\.$/);
  expect(totals).toBe("3 mirrors probed: 1 unknown, 1 wrong, 1 offline.");
  const answering = (codes: Parameters<typeof except>[0]): string =>
    mirrorTable(rowsOf({ nodes, round: roundOf(nodes, { at: noon, vantages: except(codes) }) }));
  const note = "If they aren't Git repositories, set probe.kind.";
  const missing = { code: "http_status", http_status: 404 } as const;
  expect(answering({ 1: "not_git", 2: missing, 3: missing })).toContain(note);
  expect(answering({ 1: "not_git", 2: missing, 3: "timeout" })).not.toContain(note);
});
