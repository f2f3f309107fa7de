import type * as z from "zod";
import { code, type Entry, type Group } from "./settings-entries.ts";

type Schema = z.core.JSONSchema.BaseSchema;

const head = `# Configuration reference

Every key of \`mirrors.json\`. [Configuration](configuration.md) is the guide. Each entry shows an example, the type with its range,
the default, and the levels that may have the key if there are several. \`[]\` in a name means each item of the list.
\`mirrorfeed validate\` checks a file, and refuses unknown keys. A duration is a number with \`s\`, \`m\`, \`h\` or \`d\`, such as \`24h\`.
`;

/** The groups of the keys that hold objects. */
const ownGroups = new Map([
  ["systems", "System keys"],
  ["projects", "Project keys"],
  ["targets", "Target keys"],
  ["network", "Mirror keys"],
  ["probe", "Probe keys"],
  ["freshness", "Freshness keys"],
  ["site", "Site keys"],
  ["maintenance", "Maintenance keys"],
  ["notify", "Rule keys"],
]);

/** Returns the reference of mirrors.json in Markdown. */
export function renderSettings(groups: readonly Group[]): string {
  const contents = groups.map(({ title }) => `[${title}](#${anchor(title)})`).join(" · ");
  return [head, `${contents}\n`, ...groups.map((group) => renderGroup(group))].join("\n");
}

/** Returns the anchor that GitHub gives a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");
}

function renderGroup({ title, text, entries }: Group): string {
  return [`## ${title}\n`, `${text}\n`, ...entries.map((entry) => renderEntry(entry))].join("\n");
}

function renderEntry({ name, schema, required, levels, example }: Entry): string {
  const { text, fallback } = described(schema);
  const own = ownGroups.get(name.replaceAll(/^.*\./g, ""));
  const key = name.replace(/^.*\./, "");
  const standard = isPlain(schema.default) ? `\`${JSON.stringify(schema.default)}\`` : fallback;
  const facts = [
    ...(example === undefined ? [] : [code({ [key]: example })]),
    typeText(schema),
    standard === undefined ? (required ? "required" : "optional") : `default: ${standard}`,
    ...(levels.length > 1 ? [`${levels.slice(0, -1).join(", ")} or ${levels.at(-1) ?? ""}`] : []),
  ];
  return `### \`${name}\`\n\n${facts.join(" · ")}\n\n${text}${own === undefined ? "" : ` See [${own}](#${anchor(own)}).`}\n`;
}

/** Returns a description without the default in it, and that default. */
function described({ description = "" }: Schema): { text: string; fallback: string | undefined } {
  const [whole = "", fallback] = / \(default: ([^)]*)\)/.exec(description) ?? [];
  return { text: description.replace(whole, ""), fallback };
}

/** Returns whether a default says something. An empty object or list is what a missing key means anyway. */
function isPlain(value: unknown): boolean {
  return value !== undefined && (typeof value !== "object" || value === null);
}

/** Returns the type of a value with its range, for people. */
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
        ? "text"
        : `text of at most ${count(schema.maxLength)} characters`;
    case "array":
      return `list of${listRange(schema.minItems, schema.maxItems)}: ${itemText(schema)}`;
    case "object":
      return schema.additionalProperties === false ? "object" : `object of any names: ${valuesText(schema)}`;
    default:
      return String(type);
  }
}

function itemText({ items }: Schema): string {
  return typeof items === "object" && !Array.isArray(items) ? typeText(items) : "any value";
}

function valuesText({ additionalProperties = true }: Schema): string {
  return typeof additionalProperties === "object" && additionalProperties.oneOf !== undefined
    ? "channel"
    : typeText(additionalProperties);
}

/** No number of mirrors.json is as large as those that JavaScript has no exact integers beyond. */
function range(minimum: number | undefined, maximum: number | undefined): string {
  if (maximum === undefined || maximum >= Number.MAX_SAFE_INTEGER)
    return minimum === undefined ? "" : `, ${minimum} or more`;
  return `, ${count(minimum ?? 0)} to ${count(maximum)}`;
}

function listRange(minimum = 0, maximum?: number): string {
  if (maximum === undefined) return minimum === 0 ? "" : ` ${minimum} or more`;
  return minimum === 0 ? ` at most ${count(maximum)}` : ` ${minimum} to ${count(maximum)}`;
}

function count(value: number): string {
  return value.toLocaleString("en");
}
