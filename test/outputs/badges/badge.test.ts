import { Ajv } from "ajv";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { badgeSchema, renderBadges } from "../../../src/outputs/badges/badge.ts";
import type { Seen } from "../../support/rounds.ts";
import {
  configOf,
  except,
  midnight,
  noon,
  play,
  roundsArbitrary,
  step,
  textsOf,
} from "../../support/playing.ts";
import { elementsOf, parseXml } from "../../support/xml.ts";
import { trials } from "../../support/trials.ts";

const config = configOf();

/** The schema of a shields.io endpoint, with only the fields that mirrorfeed uses. */
const endpointSchema = {
  type: "object",
  required: ["schemaVersion", "label", "message", "color"],
  additionalProperties: false,
  properties: {
    schemaVersion: { const: 1 },
    label: { type: "string", minLength: 1 },
    message: { type: "string", minLength: 1 },
    color: { type: "string", pattern: "^#[0-9a-f]{6}$" },
    isError: { const: true },
  },
};
const isEndpoint = new Ajv().compile<{ label: string; message: string; color: string; isError?: true }>(
  endpointSchema,
);

/** Returns the badge of a path. Throws if it does not match the schema of the endpoint. */
function endpoint(badges: ReadonlyMap<string, string>, path: string) {
  const text = badges.get(`badge/${path}.json`) ?? "";
  const document: unknown = JSON.parse(text);
  expect(`${JSON.stringify(badgeSchema.parse(document))}\n`).toBe(text);
  if (!isEndpoint(document)) throw new Error(JSON.stringify(isEndpoint.errors));
  return document;
}

describe("the badge of a target", () => {
  test.each<[string, Record<number, Seen>, string, boolean]>([
    ["all", {}, "3 of 3 online", false],
    ["some", { 2: "timeout" }, "2 of 3 online", false],
    ["one", { 1: "dns", 2: "timeout" }, "1 of 3 online", false],
    ["none", { 1: "dns", 2: "timeout", 3: "refused" }, "0 of 3 online", true],
  ])("shows how many are online if %s are, and whether that is an error", (_, seen, message, isError) => {
    const badges = textsOf(renderBadges(play(config, [{ at: noon, vantages: except(seen) }]).feed));
    const badge = endpoint(badges, "s/p/t");
    expect({ ...badge, isError: badge.isError === true }).toMatchObject({ label: "t", message, isError });
    expect(badges.get("badge/s/p/t.svg")).toContain(`aria-label="t: ${message}"`);
    expect(endpoint(badges, "s/p/u")).toMatchObject({ label: "u", message: "2 of 2 online" });
  });

  test("is unknown if the prober was offline", () => {
    const badges = textsOf(renderBadges(play(config, [{ at: noon, vantages: { eu: () => "dns" } }]).feed));
    expect(endpoint(badges, "s/p/t")).toMatchObject({ message: "unknown", isError: true });
  });

  test("is green for all, amber for some, red for none and grey for unknown, on which white text can be read", () => {
    const seen: ((id: number) => Seen)[] = [
      () => "ok",
      (id) => (id === 1 ? "timeout" : "ok"),
      (id) => (id <= 3 ? "timeout" : "ok"),
      () => "dns",
    ];
    const colors = seen.map((see) => {
      const badges = textsOf(renderBadges(play(config, [{ at: noon, vantages: { eu: see } }]).feed));
      const { color } = endpoint(badges, "s/p/t");
      expect(badges.get("badge/s/p/t.svg")).toContain(`fill="${color}"`);
      return color;
    });
    expect(colors).toEqual(["#2e7d32", "#a65200", "#c62828", "#757575"]);
    for (const color of colors) expect(contrastWithWhite(color)).toBeGreaterThanOrEqual(4.5);
  });

  test("stays unchanged in a run without a transition, and on a new day", () => {
    const before = play(config, [{ at: noon, vantages: except({ 2: "timeout" }) }]);
    const later = step(config, before, { at: midnight + 30 * 3_600_000, vantages: except({ 2: "reset" }) });
    expect(textsOf(renderBadges(later.feed))).toEqual(textsOf(renderBadges(before.feed)));
    const up = step(config, before, { at: midnight + 30 * 3_600_000 });
    const changed = [...textsOf(renderBadges(up.feed))].filter(
      ([path, text]) => textsOf(renderBadges(before.feed)).get(path) !== text,
    );
    expect(changed.map(([path]) => path)).toEqual(["badge/s/p/t.svg", "badge/s/p/t.json"]);
  });
});

test("for any feed, each target has a valid picture with a title that agrees with its endpoint", () => {
  fc.assert(
    fc.property(roundsArbitrary, ({ config, rounds }) => {
      const badges = textsOf(renderBadges(play(config, rounds).feed));
      const paths = config.systems.flatMap(({ system, projects }) =>
        projects.flatMap(({ project, targets }) =>
          targets.map(({ target }) => `badge/${system}/${project}/${target}`),
        ),
      );
      expect([...badges.keys()]).toEqual(paths.flatMap((path) => [`${path}.svg`, `${path}.json`]));
      for (const path of paths) {
        const { label, message, color } = endpoint(badges, path.slice("badge/".length));
        expect(path.endsWith(`/${label}`)).toBe(true);
        const svg = parseXml(badges.get(`${path}.svg`) ?? "");
        expect(svg.name).toBe("svg");
        expect(svg.attributes).toMatchObject({
          xmlns: "http://www.w3.org/2000/svg",
          role: "img",
          "aria-label": `${label}: ${message}`,
        });
        expect(elementsOf(svg, "title").map(({ text }) => text)).toEqual([`${label}: ${message}`]);
        const [shapes, texts] = elementsOf(svg, "g");
        if (shapes === undefined || texts === undefined) throw new Error("no shapes or no texts");
        expect(elementsOf(shapes, "rect")[1]?.attributes["fill"]).toBe(color);
        expect(elementsOf(texts, "text").map(({ text }) => text)).toEqual([label, message]);
      }
    }),
    { numRuns: trials(15) },
  );
});

/** Returns the contrast of white text on a color, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}
