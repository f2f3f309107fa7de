import { expect, test } from "vitest";
import * as z from "zod";
import { channelTypes } from "../../src/core/config/channels.ts";
import { configSchema } from "../../src/core/config/config-schema.ts";
import { kindNames } from "../../src/core/kinds/kinds.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** A key of mirrors.json. */
interface Entry {
  /**
   * The key's path as the document shows it, such as `site.links[].name`. The path begins at the innermost list or
   * named object that contains the key.
   */
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly example: unknown;
}

/**
 * Makes a section of the reference. The names of all its keys start with `prefix`; `examples` are for keys whose schema
 * has none.
 */
function groupOf(
  prefix: string,
  title: string,
  schema: Schema,
  text: string,
  examples: Readonly<Record<string, unknown>> = {},
) {
  return { prefix, title, schema, text, examples };
}

type Group = ReturnType<typeof groupOf>;

const file = z.toJSONSchema(configSchema, { io: "input" });
const system = valueOf(file, "systems");
const project = valueOf(system, "projects");
const target = valueOf(project, "targets");
const node = valueOf(target, "network");
const probe = valueOf(file, "probe");
const overridden = Object.keys(valueOf(node, "probe").properties ?? {});

const innermost = "The innermost level that sets a key wins.";
const listed = (owner: string): string => `The keys of each object in ${owner}.`;
const overrides =
  "The keys of `probe`. A project, target or mirror can override some of them in its own `probe`: the innermost level wins.";

const groups: readonly Group[] = [
  groupOf("", "File keys", file, "The top-level keys."),
  groupOf("systems[].", "System keys", system, listed("`systems`")),
  groupOf("projects[].", "Project keys", project, listed("a system's `projects`")),
  groupOf("targets[].", "Target keys", target, listed("a project's `targets`")),
  groupOf("network[].", "Mirror keys", node, listed("a target's `network`")),
  groupOf("probe.", "Probe keys", probe, overrides),
  ...kindNames
    .filter((kind) => overridden.includes(kind))
    .map((kind) => {
      const text = `The keys of \`${kind}\` in \`probe\`, for mirrors of kind \`${kind}\`. ${innermost}`;
      return groupOf(`probe.${kind}.`, `Options of kind \`${kind}\``, valueOf(probe, kind), text);
    }),
  groupOf(
    "freshness.",
    "Freshness keys",
    valueOf(file, "freshness"),
    `The keys of \`freshness\`. ${innermost}`,
  ),
  groupOf("site.", "Site keys", valueOf(file, "site"), "The keys of `site`."),
  groupOf("maintenance[].", "Maintenance keys", valueOf(file, "maintenance"), listed("`maintenance`")),
  groupOf("notify[].", "Rule keys", valueOf(file, "notify"), "The keys of each rule in `notify`."),
  ...Object.entries(channelTypes).map(([type, { description, example }]) => {
    const examples = { type, ...example };
    const text = `${description} An example entry in \`channels\`: ${code({ [type]: examples })}`;
    return groupOf(`${type}.`, `Channel keys of type \`${type}\``, channelOf(type), text, examples);
  }),
];

/** Group titles, by the key that contains the group's objects. */
const ownGroups = new Map(groups.map(({ prefix, title }) => [prefix.replace(/(?:\[\])?\.$/, ""), title]));

/**
 * Keys that have no entry of their own. They are described by the entry of the same key at a higher level, or in the section
 * about the kind.
 */
const described = new RegExp(
  `^(?:projects|targets|network)\\[\\]\\.(?:probe|freshness)$|^network\\[\\]\\.contact$|^probe\\.(?:${kindNames.join("|")})$`,
);

const entriesOf = ({ schema, prefix, examples }: Group): Entry[] => keysOf(schema, prefix, examples);
const entries = groups.flatMap(entriesOf);

const head = `# Configuration reference

This page lists every key of \`mirrors.json\`; [Configuration](configuration.md) is the guide. Each entry shows an example, the type and
its range, the default, and the levels that can have the key if there are several. \`[]\` in a name means each item of the list. A
duration is a number followed by \`s\`, \`m\`, \`h\` or \`d\`, such as \`24h\`. \`mirrorfeed validate\` checks a file and rejects unknown keys.
`;

function renderSettings(): string {
  const contents = groups.map(({ title }) => `[${title}](#${anchor(title)})`).join(" · ");
  const sections = groups.flatMap((group) => [
    `## ${group.title}\n\n${group.text}\n`,
    ...entriesOf(group).map((entry) => renderEntry(entry)),
  ]);
  return [head, `${contents}\n`, ...sections].join("\n");
}

/** Returns the anchor that GitHub gives a heading. */
function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function renderEntry({ name, schema, required, example }: Entry): string {
  const key = name.replace(/^.*\./, "");
  const { description = "" } = schema;
  const [fallbackText = "", fallback] = / \(default: ([^)]*)\)/.exec(description) ?? [];
  // Defaults that are objects or lists are always empty, so they go without saying.
  const isPlain = schema.default !== undefined && typeof schema.default !== "object";
  const standard = isPlain ? `\`${JSON.stringify(schema.default)}\`` : fallback;
  const levels = levelsOf(name);
  const own = ownGroups.get(key);
  const facts = [
    ...(example === undefined ? [] : [code({ [key]: example })]),
    typeText(schema),
    standard === undefined ? (required ? "required" : "optional") : `default: ${standard}`,
    ...(levels === undefined ? [] : [levels]),
  ];
  const text = `${description.replace(fallbackText, "")}${own === undefined ? "" : ` See [${own}](#${anchor(own)}).`}`;
  return `### \`${name}\`\n\n${facts.join(" · ")}\n\n${text}\n`;
}

/** Returns the levels at which a key is allowed, or undefined if it is allowed at only one. */
function levelsOf(name: string): string | undefined {
  const [outer, key, ...deeper] = name.split(".");
  const isOverridden = key === undefined || (deeper.length === 0 && overridden.includes(key));
  if (outer === "freshness" || (outer === "probe" && isOverridden)) return "file, project, target or mirror";
  return name === "targets[].contact" ? "target or mirror" : undefined;
}

function typeText(schema: Schema | boolean): string {
  if (typeof schema === "boolean") return "any value";
  const { title, enum: values, const: only, anyOf, type } = schema;
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (values !== undefined) return `one of ${values.map((one) => `\`${JSON.stringify(one)}\``).join(", ")}`;
  if (title !== undefined) return title;
  if (anyOf !== undefined) return [...new Set(anyOf.map((one) => typeText(one)))].join(", or ");
  switch (type) {
    case "integer":
      return `whole number${range(schema.minimum, schema.maximum)}`;
    case "string":
      return schema.maxLength === undefined
        ? "string"
        : `string of at most ${count(schema.maxLength)} characters`;
    case "array":
      return `list of${listRange(schema.minItems, schema.maxItems)}: ${typeText(itemsOf(schema) ?? true)}`;
    case "object":
      return schema.additionalProperties === false ? "object" : `object with any keys: ${valuesText(schema)}`;
    default:
      return String(type);
  }
}

function valuesText({ additionalProperties = true }: Schema): string {
  return typeof additionalProperties === "object" && additionalProperties.oneOf !== undefined
    ? "channel"
    : typeText(additionalProperties);
}

/** Describes a range, without the maximum that Zod gives every integer by default: JavaScript's largest exact integer. */
function range(minimum: number | undefined, maximum = Infinity): string {
  if (maximum < Number.MAX_SAFE_INTEGER) return `, ${count(minimum ?? 0)} to ${count(maximum)}`;
  return minimum === undefined ? "" : `, ${minimum} or more`;
}

function listRange(minimum = 0, maximum?: number): string {
  if (maximum === undefined) return minimum === 0 ? "" : ` ${minimum} or more`;
  return minimum === 0 ? ` at most ${count(maximum)}` : ` ${minimum} to ${count(maximum)}`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}

/** Returns an object as Markdown code, written as in mirrors.json, without the outermost braces. */
function code(value: object): string {
  const text = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  return `\`${text.slice(2, -2).replaceAll(/\[ (.*?) \]/g, "[$1]")}\``;
}

/** Returns an object's keys, and the keys of those objects in it that have no group of their own. */
function keysOf(
  { properties = {}, required = [] }: Schema,
  prefix: string,
  examples: Group["examples"] = {},
): Entry[] {
  return Object.entries(properties).flatMap(([key, schema]): Entry[] => {
    const name = `${prefix}${key}`;
    if (typeof schema === "boolean" || described.test(name)) return [];
    const example = schema.examples?.[0] ?? examples[key];
    const entry = { name, schema, required: required.includes(key), example };
    const [own, item] = ownGroups.has(key) ? [] : [objectIn(schema), objectIn(itemsOf(schema))];
    if (own?.properties !== undefined) return [entry, ...keysOf(own, `${name}.`)];
    return item?.properties === undefined ? [entry] : [entry, ...keysOf(item, `${name}[].`)];
  });
}

/** Returns the schema of a key's object, or of the objects in a key's list. */
function valueOf({ properties = {} }: Schema, key: string): Schema {
  const schema = properties[key];
  const found = typeof schema === "object" ? (objectIn(schema) ?? objectIn(itemsOf(schema))) : undefined;
  if (found === undefined) throw new Error(`${key} holds no object.`);
  return found;
}

function itemsOf({ items }: Schema): Schema | undefined {
  return typeof items === "object" && !Array.isArray(items) ? items : undefined;
}

/** Returns the schema if it describes an object, or else the first of its alternatives that does. */
function objectIn(schema: Schema | undefined): Schema | undefined {
  return schema?.type === "object" ? schema : schema?.anyOf?.find(({ type }) => type === "object");
}

function channelOf(type: string): Schema {
  const { additionalProperties } = valueOf(file, "channels");
  const types = typeof additionalProperties === "object" ? (additionalProperties.oneOf ?? []) : [];
  const isOfType = (own: unknown): boolean => z.object({ const: z.literal(type) }).safeParse(own).success;
  return types.find(({ properties }) => isOfType(properties?.["type"])) ?? {};
}

test("settings.md is what the schema says; `npx vitest run test/documents/settings.test.ts -u` writes it", async () => {
  await expect(renderSettings()).toMatchFileSnapshot("../../.github/docs/settings.md");
});

test("each key has a description, and an anchor of its own", () => {
  for (const { name, schema } of entries) expect(schema.description, name).toMatch(/^[^a-z].*[.]$/s);
  const headings = [...groups.map(({ title }) => title), ...entries.map(({ name }) => name)];
  expect(new Set(headings.map((heading) => anchor(heading))).size).toBe(headings.length);
});

test("each key has an example, unless it holds objects with keys of their own", () => {
  const groupNames = ["systems", "projects", "targets", "network", "maintenance"];
  const hasKeys = (name: string): boolean =>
    entries.some((other) => other.name.startsWith(`${name}.`) || other.name.startsWith(`${name}[]`));
  const without = entries.filter(({ name, example }) => example === undefined && !hasKeys(name));
  const names = without.map(({ name }) => name.replace(/^.*\./, ""));
  expect(names.filter((name) => !groupNames.includes(name))).toEqual([]);
});

test("each example is valid", () => {
  let count = 0;
  for (const schema of schemasIn(configSchema))
    for (const example of z.array(z.unknown()).parse(schema.meta()?.["examples"] ?? [])) {
      count += 1;
      expect(schema.safeParse(example).success, JSON.stringify(example)).toBe(true);
    }
  expect(count).toBeGreaterThan(60);
  for (const [type, { example }] of Object.entries(channelTypes))
    expect(configSchema.shape.channels.parse({ own: { type, ...example } })).toHaveProperty("own");
});

function schemasIn(value: unknown): z.ZodType[] {
  if (value instanceof z.ZodType) return [value, ...schemasIn(value.def)];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(schemasIn) : [];
}
