import fc from "fast-check";
import { expect, test } from "vitest";
import { pick } from "../../src/client/index.ts";
import type { Observation } from "../../src/core/probe/observation.ts";
import { targetsOf } from "../../src/core/feed/feed.ts";
import { renderMirrorlists } from "../../src/features/lists/mirrorlist.ts";
import { renderNetwork } from "../../src/core/contract/network.ts";
import { renderReport } from "../../src/core/site/report.ts";
import { configArbitrary } from "../support/arbitrary.ts";
import { day, noon, noticeOf, play, textsOf, type TimedRound } from "../support/playing.ts";
import { codes } from "../../src/core/kinds/kinds.ts";
import { trials } from "../support/trials.ts";

const seen = fc.record({
  code: fc.oneof({ weight: 3, arbitrary: fc.constant("ok" as const) }, fc.constantFrom(...codes)),
  latency_ms: fc.integer({ min: 0, max: 4000 }),
  revision: fc.constantFrom("1", "2", "3").map((digit) => digit.repeat(40)),
  branch: fc.constantFrom("main", "main", "other"),
}) satisfies fc.Arbitrary<Partial<Observation>>;

/** Generates rounds over some days, with a random latency, revision and status for each node. */
const rounds: fc.Arbitrary<TimedRound[]> = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 2 * day }), fc.array(seen, { minLength: 1, maxLength: 7 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((drawn) => {
    let at = noon;
    return drawn.map(([gap, saw]) => {
      at += gap;
      return { at, vantages: { default: (id: number) => saw[id % saw.length] } };
    });
  });

test("pick and the mirror list of any feed have the same order, so the first line is the mirror", async () => {
  let picked = 0;
  await fc.assert(
    fc.asyncProperty(configArbitrary, rounds, async (config, played) => {
      const { feed } = play(config, played, [noticeOf(noon + day, undefined, 1, 4)]);
      const files = textsOf([...renderNetwork(feed), ...renderReport(feed), ...renderMirrorlists(feed)]);
      const fetch = (url: string): Promise<Response> => {
        const text = files.get(`${new URL(url).pathname.slice(1)}index.json`);
        return Promise.resolve(new Response(text ?? "", { status: text === undefined ? 404 : 200 }));
      };
      const now = (): number => Date.parse(feed.run.generated_at);
      for (const { place } of targetsOf(feed.systems)) {
        const result = await pick("https://status.example.org/", place, { fetch, now });
        const lines = files.get(`mirrorlist/${place}.txt`)?.trimEnd().split("\n");
        if (result.outcome === "unknown") {
          expect(result.reason).toBe("prober_offline");
          continue;
        }
        expect(result.mirrors?.map(({ url }) => url)).toEqual(lines);
        for (const country of ["DE", "fr"]) {
          const near = await pick("https://status.example.org/", place, { fetch, now, country });
          const list = files.get(`country/${country.toLowerCase()}/${place}.txt`)?.trimEnd().split("\n");
          if (list !== undefined) expect(near.mirrors?.map(({ url }) => url)).toEqual(list);
        }
        if (result.outcome !== "reachable") continue;
        expect(result.mirror.url).toBe(lines?.[0]);
        picked += 1;
      }
    }),
    { numRuns: trials(60) },
  );
  expect(picked).toBeGreaterThan(20);
});
