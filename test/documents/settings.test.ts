import { expect, test } from "vitest";
import * as z from "zod";
import * as registry from "../../src/channels/registry.ts";
import { configSchema } from "../../src/config/schema.ts";
import { settingsGroups } from "./settings-entries.ts";
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

test("each key has an example, unless it holds objects with keys of their own", () => {
  const groupNames = ["systems", "projects", "targets", "network", "maintenance"];
  const without = entries.filter(({ name, example }) => {
    const hasKeys = entries.some(
      (other) => /^\.|^\[\]/.test(other.name.slice(name.length)) && other.name.startsWith(name),
    );
    return example === undefined && !hasKeys && !groupNames.includes(name.replace(/^.*\./, ""));
  });
  expect(without.map(({ name }) => name)).toEqual([]);
});

test("each example is valid", () => {
  let count = 0;
  for (const schema of schemasIn(configSchema))
    for (const example of z.array(z.unknown()).parse(schema.meta()?.["examples"] ?? [])) {
      count += 1;
      expect(schema.safeParse(example).success, JSON.stringify(example)).toBe(true);
    }
  expect(count).toBeGreaterThan(60);
  for (const [type, { example }] of Object.entries(registry))
    expect(configSchema.shape.channels.parse({ own: { type, ...example } })).toHaveProperty("own");
});

/** Returns a schema and all in it. */
function schemasIn(value: unknown): z.ZodType[] {
  if (value instanceof z.ZodType) return [value, ...schemasIn(value.def)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(schemasIn) : [];
}
