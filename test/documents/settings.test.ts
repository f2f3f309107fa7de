import { isKindName } from "../../src/kinds/kinds.ts";
import { expect, test } from "vitest";
import * as registry from "../../src/channels/registry.ts";
import { checkConfig } from "../../src/config/validate.ts";
import { type Entry, settingsGroups } from "./settings-entries.ts";
import { anchor, renderSettings } from "./settings-text.ts";

const groups = settingsGroups();
const entries = groups.flatMap((group) => group.entries);

test("settings.md is what the schema says; `npx vitest run test/documents/settings.test.ts -u` writes it", async () => {
  await expect(renderSettings(groups)).toMatchFileSnapshot("../../.github/docs/settings.md");
});

test("each key has a description, and an anchor of its own", () => {
  for (const { name, schema } of entries) expect(schema.description, name).toMatch(/^[^a-z].*[.]$/s);
  const headings = [...groups.map(({ title }) => title), ...entries.map(({ name }) => name)];
  expect(new Set(headings.map((heading) => anchor(heading))).size).toBe(headings.length);
});

test.each(entries.map((entry) => [entry.name, entry] as const))(
  "the example of %s is valid",
  (name, entry) => {
    const hasKeys = entries.some(
      (other) => other.name.startsWith(`${name}.`) || other.name.startsWith(`${name}[]`),
    );
    const isGroup = ["systems", "projects", "targets", "network", "probe", "site", "maintenance", "channels"];
    const key = name.replace(/^.*\./, "");
    expect(entry.example !== undefined || hasKeys || isGroup.includes(key)).toBe(true);
    if (entry.example === undefined) return;
    for (const path of entry.paths) expect(problemsWith(path, entry.example)).toEqual([]);
  },
);

/** Returns what is wrong with a configuration that has a value at a path. */
function problemsWith(path: Entry["paths"][number], value: unknown): readonly unknown[] {
  // Options of a kind need a mirror of that kind, and what makes a mirror offline needs a time.
  const [level, key = "", kind = ""] = [path.indexOf("probe"), path.at(-1), path[path.indexOf("probe") + 1]];
  const isOption = level >= 0 && isKindName(String(kind));
  const ofKind = isOption ? placed(base, [...path.slice(0, level), "probe", "kind"], kind) : base;
  const isRule = key === "states" || key === "codes";
  const timed = isRule ? placed(ofKind, [...path.slice(0, -1), "offlineAfter"], "24h") : ofKind;
  const checked = checkConfig(JSON.stringify(placed(timed, path, value)), "mirrors.json");
  return "problems" in checked ? checked.problems : [];
}

function placed(into: unknown, [step, ...rest]: readonly (string | number)[], value: unknown): unknown {
  if (step === undefined) return value;
  if (Array.isArray(into))
    return into.map((one: unknown, index) => (index === step ? placed(one, rest, value) : one));
  const fields = Object.entries(typeof into === "object" && into !== null ? into : {});
  const own = fields.find(([name]) => name === step)?.[1];
  return { ...Object.fromEntries(fields), [step]: placed(own ?? {}, rest, value) };
}

const node = { id: 1, url: "https://git.example.org/joomla/packages" };
const channels = Object.entries(registry).map(([type, { example }]) => [type, { type, ...example }] as const);

/** A configuration in which each example can stand. */
const base = {
  systems: [
    {
      system: "community",
      projects: [{ project: "jcb", targets: [{ target: "packages", network: [node] }] }],
    },
  ],
  probe: { controls: [{ url: "http://connectivity.example.org/", text: "success" }] },
  site: {
    accent: { light: "#0b6e50", dark: "#6ccfaa" },
    links: [{ name: "Help", url: "https://example.org/" }],
  },
  maintenance: [
    { scope: "git.example.org", from: "2026-01-31T08:00:00Z", to: "2026-01-31T10:00:00Z", reason: "disks" },
  ],
  notify: [{ to: ["ops"] }],
  channels: { ...Object.fromEntries(channels), ops: { type: "webhook", urlEnv: "HOOK_URL" } },
};
