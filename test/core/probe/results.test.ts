import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { fingerprint } from "../../../src/core/config/nodes.ts";
import { type Results, resultsSchema } from "../../../src/core/probe/observation.ts";
import { RefSets, refSetDigest } from "../../../src/core/probe/ref-set.ts";
import { formatResults, parseResults, saveResults } from "../../../src/core/probe/results.ts";
import { everything, put } from "../../support/folder.ts";
import { inputErrorOf } from "../../support/mirrors-json.ts";
import { nodesAt } from "../../support/rounds.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const nodes = nodesAt(["a.example.org", "b.example.org"]);
const at = "2026-01-01T00:00:00Z";
const observation = { id: 1, code: "ok", attempts: 1, checked_at: at };
const id = "a".repeat(40);
const refs = `${id} HEAD\n${id} refs/heads/main`;
const results: Results = {
  ...{ schema: 1, run: "r", vantage: "default", shard: { index: 1, count: 1 } },
  ...{ config: fingerprint(nodes), prober: "x", started_at: at, finished_at: at },
  controls: [{ url: "https://c.example.org/", proof: "tls", code: "ok", attempts: 1, checked_at: at }],
  observations: [{ ...observation, refs: refSetDigest(refs) }],
  refs: { [refSetDigest(refs)]: refs },
};

test("results come back as they were", () => {
  expect(parseResults(formatResults(results), "results.json", nodes)).toEqual(results);
});

test.each<[string, object | string, RegExp]>([
  ["cut off", '{"schema":1,', /^results.json is not a valid results file at "the top level"/],
  ["of another version", { schema: 2 }, /is not a valid results file at "schema"/],
  [
    "of other mirrors",
    { config: "0".repeat(32) },
    /was made with a different mirrors.json; run mirrorfeed probe/,
  ],
  ["with a wrong code", { observations: [{ ...observation, code: "fine!" }] }, /at "observations.0.code"/],
  ["with an unknown key", { extra: 1 }, /is not a valid results file/],
  ["with a node twice", { observations: [observation, observation] }, /a duplicate or unknown mirror, 1;/],
  ["with another node", { observations: [{ ...observation, id: 3 }] }, /a duplicate or unknown mirror, 3;/],
  ["with other refs", { refs: { [refSetDigest(refs)]: "" } }, /has refs that do not match their digest/],
])("results %s are refused", (_, change, message) => {
  const text = typeof change === "string" ? change : JSON.stringify({ ...results, ...change });
  expect(inputErrorOf(() => parseResults(text, "results.json", nodes))).toMatch(message);
});

describe("results with a time", () => {
  const of = (time: string): Record<string, object> => ({
    started_at: { started_at: time },
    finished_at: { finished_at: time },
    "controls.0.checked_at": { controls: [{ ...results.controls[0], checked_at: time }] },
    "observations.0.checked_at": { observations: [{ ...observation, checked_at: time }] },
    "observations.0.content_at": { observations: [{ ...observation, content_at: time }] },
    "observations.0.tls_expires_at": { observations: [{ ...observation, tls_expires_at: time }] },
  });
  const places = Object.keys(of(at));

  const wrong = ["1969-12-31T23:59:59.999Z", "9999-13-01T00:00:00Z"];
  test.each(wrong.flatMap((time) => places.map((place) => [time, place] as const)))(
    "%s in %s are refused with one sentence",
    (time, place) => {
      const text = JSON.stringify({ ...results, ...of(time)[place] });
      const sentence = new RegExp(
        `^results.json is not a valid results file at "${place}": ".+"; run .+\\.$`,
      );
      expect(() => parseResults(text, "results.json", nodes)).toThrow(sentence);
    },
  );

  test.each(["1970-01-01T00:00:00Z", "9999-01-01T00:00:00Z"])("%s are read", (time) => {
    for (const place of places)
      expect(parseResults(JSON.stringify({ ...results, ...of(time)[place] }), "r", nodes).run).toBe("r");
  });

  test("9999-12-31T23:59:59Z are read where it is that of a certificate without an end", () => {
    const accepted = places.filter((place) => {
      const change = of("9999-12-31T23:59:59Z")[place];
      return resultsSchema.safeParse({ ...results, ...change }).success;
    });
    expect(accepted).toEqual(["observations.0.tls_expires_at"]);
  });
});

test.each(["results.json", "new/folder/results.json"])("results are saved as %s, alone", (path) => {
  const folder = temporaryFolder();
  saveResults(join(folder, path), results);
  saveResults(join(folder, path), { ...results, run: "s" });
  expect(everything(folder)).toEqual({ [path]: formatResults({ ...results, run: "s" }) });
});

test.each<[string, string, string]>([
  ["below a file", "file/results.json", "there is a file where its folder should be;"],
  ["in place of a folder", "folder", "there is a folder where the file should be; remove it or"],
])("results that cannot be saved leave one sentence and nothing else: %s", (_, path, reason) => {
  const folder = temporaryFolder();
  put(folder, { file: "mine" });
  mkdirSync(join(folder, "folder"));
  const file = join(folder, path);
  const message = `${file} cannot be written: ${reason} name another file with --results.`;
  expect(() => {
    saveResults(file, results);
  }).toThrow(new InputError(message));
  expect(everything(folder)).toEqual({ file: "mine", folder: "/" });
});

test("the refs of mirrors with many refs leave room for those of the others, whoever answers first", () => {
  const sets = new RefSets();
  const refsOf = (name: string, count: number) =>
    new Map(Array.from({ length: count }, (_, index) => [`refs/${name}/${index}`.padEnd(1000, "x"), id]));
  for (let node = 0; node < 40; node += 1) sets.add(refsOf(`large-${node}`, 900));
  for (let node = 0; node < 300; node += 1) sets.add(refsOf(`${node}`, 5));
  const digest = sets.add(refsOf("honest", 10));
  expect(sets.kept.has(digest)).toBe(true);
  expect([...sets.kept.values()].filter(({ text }) => text.includes("large-")).length).toBeGreaterThan(30);
});
