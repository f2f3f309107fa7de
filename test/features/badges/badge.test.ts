import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { badgeSchema, renderBadges } from "../../../src/features/badges/badge.ts";
import { targetsOf } from "../../../src/core/feed/feed.ts";
import type { Seen } from "../../support/rounds.ts";
import { configOf, day, except, noon, play, roundsArbitrary, textsOf } from "../../support/playing.ts";
import { elementsOf, parseXml } from "../../support/xml.ts";
import { trials } from "../../support/trials.ts";

const config = configOf();

/** Fails if the badge has fields that the schema lacks. */
function endpoint(badges: ReadonlyMap<string, string>, path: string) {
  const text = badges.get(`badge/${path}.json`) ?? "";
  const badge = badgeSchema.parse(JSON.parse(text));
  expect(`${JSON.stringify(badge)}\n`).toBe(text);
  expect(badge.color).toMatch(/^#[0-9a-f]{6}$/);
  return badge;
}

describe("the badge of a target", () => {
  test.each<[string, string, (id: number) => Seen, string, string]>([
    ["green", "all", () => "ok", "3 of 3 online", "#2e7d32"],
    ["amber", "some", (id) => (id === 1 ? "timeout" : "ok"), "2 of 3 online", "#a65200"],
    ["red", "none", (id) => (id <= 3 ? "timeout" : "ok"), "0 of 3 online", "#c62828"],
    ["grey", "unknown, since the prober was offline", () => "dns", "unknown", "#757575"],
  ])("is %s for %s, on which white text can be read", (_name, _state, see, message, color) => {
    const badges = textsOf(renderBadges(play(config, [{ at: noon, vantages: { eu: see } }]).feed));
    const isError = /^(?:0|unknown)/.test(message) ? true : undefined;
    expect(endpoint(badges, "s/p/t")).toEqual({ schemaVersion: 1, label: "t", message, color, isError });
    expect(badges.get("badge/s/p/t.svg")).toContain(`fill="${color}"`);
    expect(contrastWithWhite(color)).toBeGreaterThanOrEqual(4.5);
  });
});

/** WCAG 2.2's contrast ratio. */
function contrastWithWhite(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05);
}

describe("the badge of a target whose mirrors are not right", () => {
  const [one, two] = ["1", "2"].map((digit) => ({ revision: digit.repeat(40), branch: "main" }));
  const broken = { ...two, content_code: "no_fetch" };
  const times = { from: "2026-03-10T00:00:00Z", to: "2026-03-11T00:00:00Z" };
  const maintenance = [{ ...times, scope: "s/p/t", reason: "disks" }];

  test.each<[string, readonly Seen[], string, string, object?]>([
    ["one is behind", [two, one, two], "2 of 3 online", "#a65200"],
    ["the primary is broken", [broken, two, two], "2 of 3 online", "#a65200"],
    ["all are broken", [broken, broken, broken], "wrong content", "#c62828"],
    ["the others are behind", ["timeout", one, one], "behind", "#a65200"],
    ["all are in maintenance", [two, two, two], "maintenance", "#757575", { maintenance }],
  ])("says so: %s", (_, seen, message, color, more = {}) => {
    const own = configOf(more);
    const { feed } = play(own, [
      { at: noon - 3 * day, vantages: except({ 1: one, 2: one, 3: one }) },
      { at: noon - 2 * day, vantages: except({ 1: two, 2: one, 3: one }) },
      { at: noon, vantages: except({ 1: seen[0], 2: seen[1], 3: seen[2] }) },
    ]);
    const isError = message === "wrong content" ? true : undefined;
    const badge = endpoint(textsOf(renderBadges(feed)), "s/p/t");
    expect(badge).toEqual({ schemaVersion: 1, label: "t", message, color, isError });
  });
});

test("for any feed, each target has a valid picture with a title that agrees with its endpoint", () => {
  fc.assert(
    fc.property(roundsArbitrary, ({ config, rounds }) => {
      const { feed } = play(config, rounds);
      const badges = textsOf(renderBadges(feed));
      const paths = targetsOf(feed.systems).map(({ place }) => `badge/${place}`);
      expect([...badges.keys()]).toEqual(paths.flatMap((path) => [`${path}.svg`, `${path}.json`]));
      for (const path of paths) {
        const { label, message, color } = endpoint(badges, path.slice("badge/".length));
        expect(path.endsWith(`/${label}`)).toBe(true);
        const svg = parseXml(badges.get(`${path}.svg`) ?? "");
        expect(svg.name).toBe("svg");
        const title = `${label}: ${message}`;
        const xmlns = "http://www.w3.org/2000/svg";
        expect(svg.attributes).toMatchObject({ xmlns, role: "img", "aria-label": title });
        expect(elementsOf(svg, "title").map(({ text }) => text)).toEqual([title]);
        const [shapes, texts] = elementsOf(svg, "g");
        if (shapes === undefined || texts === undefined) throw new Error("no shapes or no texts");
        expect(elementsOf(shapes, "rect")[1]?.attributes["fill"]).toBe(color);
        // Each text has a shadow.
        const shown = elementsOf(texts, "text").map(({ text }) => text);
        expect(shown).toEqual([label, label, message, message]);
      }
    }),
    { numRuns: trials(15) },
  );
});
