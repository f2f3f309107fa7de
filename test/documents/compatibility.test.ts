import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listNodes } from "../../src/config/nodes.ts";
import { withNotifications } from "../../src/feed/notifications.ts";
import { summaryJson } from "../../src/run/summary.ts";
import { resultsSchema } from "../../src/probe/observation.ts";
import { exitCodesOf } from "../../src/commands/command.ts";
import { commandFiles } from "../../src/commands/program.ts";
import { loadDocument } from "../support/document.ts";
import { feedWith } from "../support/feed-with.ts";
import { notifiedConfig } from "../support/notified-feed.ts";
import { vantageOf } from "../support/rounds.ts";

const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, unknown>;
};

test("the package has only the modules that the promise names", () => {
  expect(Object.keys(exports)).toEqual(["./client", "./package.json"]);
});

test("the exit codes of each command are among those of the reference", async () => {
  const { text } = loadDocument(".github/docs/commands.md");
  const [, table = ""] = /^## Exit codes\n(.*?)^## /ms.exec(text) ?? [];
  const known = [...table.matchAll(/^\| (\d+) /gm)].map(([, code]) => code);
  expect(known).toEqual(["0", "1", "2", "3", "4", "70", "130"]);
  for (const load of Object.values(commandFiles))
    expect(known).toEqual(expect.arrayContaining(Object.keys(exitCodesOf((await load()).notes))));
});

/**
 * Fields of what `--json` prints that its own tests do not compare whole. A field that is missing here is new: add it. A field
 * that is missing in the program breaks the promise.
 */
test("what run, build and probe print as JSON has the reviewed fields", () => {
  const config = notifiedConfig([{ id: 1 }]);
  const seen = { code: "http_status", http_status: 404, latency_ms: 3 };
  const summary = summaryJson({
    nodes: listNodes(config),
    round: { run: "r", at: 0, vantages: [vantageOf("default", [seen])] },
    isVoid: false,
    feed: withNotifications(feedWith(config, new Map([[1, 0]])), {
      events: {},
      outbox: { "1": { channel: "ops", phase: "begin", events: ["1"], at: 1 } },
    }),
    before: feedWith(config, new Map([[1, 1]])),
  });
  const { changes, ...all } = JSON.parse(summary) as { changes: object[] };
  expect(changes).toHaveLength(1);
  expect(fieldsOf(all)).toBe(
    "run prober totals{nodes online offline} notifications{waiting failing dropped} nodes{system project target id name url status freshness code http_status latency_ms attempts}",
  );
  const { shape } = resultsSchema;
  expect(Object.keys(shape).join(" ")).toBe(
    "schema run vantage shard config prober started_at finished_at controls observations problems refs",
  );
  expect(Object.keys(shape.observations.element.shape).join(" ")).toBe(
    "id code http_status latency_ms attempts checked_at phase cause cause_text tls_expires_at revision branch partial refs refs_unread content_at content_code index",
  );
  expect(Object.keys(shape.controls.element.shape).join(" ")).toBe(
    "url text proof code http_status latency_ms attempts checked_at phase cause cause_text tls_expires_at",
  );
});

/** Returns the names of the fields in their order, those of an object or of the first entry of a list in braces. */
function fieldsOf(value: object): string {
  return Object.entries(value)
    .map(([name, field]: [string, unknown]) => {
      const inner: unknown = Array.isArray(field) ? field[0] : field;
      return typeof inner === "object" && inner !== null ? `${name}{${fieldsOf(inner)}}` : name;
    })
    .join(" ");
}
