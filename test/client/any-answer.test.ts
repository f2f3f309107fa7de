import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { check, pick } from "../../src/client/index.ts";
import { contractOf, heartbeatOf, mirror, reportOf, soon, target } from "../support/serving.ts";
import { trials } from "../support/trials.ts";
import { anyCharacter } from "../support/any-url.ts";

const mirrors = [mirror(1, 1, { freshness: "in_sync", mean_latency_ms: 1 }), mirror(2, 0)];

/** A valid document of each kind that a feed can answer with. */
const documents = {
  network: contractOf(mirrors),
  heartbeat: heartbeatOf(mirrors),
  report: reportOf(mirrors),
  refusal: { error: "Target not found", code: 403 },
};

/** Keys that mean something in a document or in JavaScript. */
const key = fc.constantFrom(
  ...["target", "network", "id", "name", "url", "status", "error", "code", "message", "freshness", "primary"],
  ...["nodes", "prober", "state", "expires_at", "generated_at", "latency_ms", "toString", "valueOf"],
  ...["__proto__", "constructor", "prototype", "then", "length"],
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    ...[0, 1, 2, 404, -1, 1.5, Infinity, "1", true, null, "", "packages", "Not found"],
  ),
  fc.constantFrom("System not found", "2026-03-10T14:00:00.000Z", "2026-03-10T12:00:30Z", "https://a.org/x"),
  fc.constantFrom("ssh://a.org/x", "javascript:x", "https://u:p@a.org/", "https://a.org/\u001b"),
  fc.constantFrom("https://a.org:99999/"),
  fc.string({ unit: anyCharacter }),
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    { weight: 3, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(tie("value"), { maxLength: 4 }) },
    // Like JSON.parse, Object.fromEntries makes `__proto__` an ordinary field.
    { weight: 1, arbitrary: fc.array(fc.tuple(key, tie("value")), { maxLength: 6 }).map(Object.fromEntries) },
  ),
}));

function bodyOf(document: object): fc.Arbitrary<string> {
  const changed = fc.tuple(key, anything).map(([name, value]) => replaceEach(document, name, value));
  const others = Object.values(documents).map((other) => JSON.stringify(other));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant(JSON.stringify(document)) },
    { weight: 5, arbitrary: changed },
    anything.map((value) => JSON.stringify(value)),
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(...others),
  );
}

function answerOf(document: object) {
  return fc.record({
    status: fc.oneof(
      { weight: 9, arbitrary: fc.constant(200) },
      fc.constantFrom(301, 302, 400, 403, 404, 429, 500, 503),
    ),
    location: fc.constantFrom(
      "",
      "/",
      "ftp://a/",
      "https://a:b@c/",
      "http://[",
      "//b.example.org/v1/report/",
    ),
    body: bodyOf(document),
    fails: fc.oneof({ weight: 19, arbitrary: fc.constant(false) }, fc.constant(true)),
  });
}

const feed = fc.record({
  network: answerOf(documents.network),
  heartbeat: answerOf(documents.heartbeat),
  report: answerOf(documents.report),
});

const reasons =
  /^(?:no_answer|timeout|redirect|too_large|http_status|not_contract|expired|too_old|ahead|prober_offline|no_report)$/;

describe("whatever a feed answers", () => {
  test.each(["check", "pick"])("%s gives one of its values, and changes nothing else", async (question) => {
    await fc.assert(
      fc.asyncProperty(
        feed,
        fc.boolean(),
        fc.option(fc.integer({ min: 0, max: 7_200_000 }), { nil: undefined }),
        async (answers, fresh, maxAgeMs) => {
          let asked = 0;
          const fetch = (url: string): Promise<Response> => {
            asked += 1;
            const kind = url.includes("/network/") ? "network" : "report";
            const { status, location, body, fails } = answers[url.endsWith("/report/") ? "heartbeat" : kind];
            if (fails) return Promise.reject(new TypeError("fetch failed"));
            return Promise.resolve(new Response(body, { status, headers: { location } }));
          };
          const options = { fetch, fresh, maxAgeMs, now: () => soon };
          const query = question === "check" ? check : pick;
          const result = await query("https://a.example.org", target, options);
          const outcomes = ["reachable", "unreachable", "not_found", "unknown"];
          if (question === "check" && fresh) outcomes.push("not_fresh");
          expect(outcomes).toContain(result.outcome);
          if (result.outcome === "unknown") expect(result.reason).toMatch(reasons);
          if (result.mirrors !== undefined) {
            expect(Array.isArray(result.mirrors)).toBe(true);
            for (const { id, url, name, status } of result.mirrors) {
              expect(url).toMatch(/^https?:\/\/[^@/]+(?:\/[!-~]*)?$/);
              expect(new URL(url).username).toBe("");
              expect([0, 1]).toContain(status);
              expect([typeof id, typeof name]).toEqual(["number", "string"]);
            }
          }
          // The client requests four paths: the heartbeat, the report, and two spellings of the target. Each request
          // may be redirected up to five times.
          expect(asked).toBeLessThanOrEqual(24);
          expect(Object.keys(Object.prototype)).toEqual([]);
        },
      ),
      { numRuns: trials(500) },
    );
  });
});

/** Returns a document as JSON, in which every field called `name` has this value. */
function replaceEach(document: object, name: string, value: unknown): string {
  const place = "REPLACED";
  const text = JSON.stringify(document, (field, own: unknown) => (field === name ? place : own));
  return text.replaceAll(JSON.stringify(place), () => JSON.stringify(value));
}
