import * as z from "zod";
import * as registry from "../../src/channels/registry.ts";
import { configSchema } from "../../src/config/schema.ts";
import { kindNames } from "../../src/kinds/kinds.ts";

type Schema = z.core.JSONSchema.BaseSchema;

/** A key of mirrors.json. */
export interface Entry {
  /** As the document names it, such as `site.links[].name`. It begins with the last list or name above the key. */
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  /** The levels that may have it, if it stands at several ones. */
  readonly levels: readonly string[];
  readonly example: unknown;
}

/** A section of the reference. */
export interface Group {
  readonly title: string;
  readonly text: string;
  readonly entries: readonly Entry[];
}

const file = z.toJSONSchema(configSchema, { io: "input" });
const system = valueOf(file, "systems");
const project = valueOf(system, "projects");
const target = valueOf(project, "targets");
const node = valueOf(target, "network");
const probe = valueOf(file, "probe");

const inheriting = ["file", "project", "target", "node"];

/** The keys of several levels. The first one describes them. */
const sharedKeys = new Map([
  ["probe", inheriting],
  ["freshness", inheriting],
  ["contact", ["target", "node"]],
]);

/** The keys whose objects have a group of their own. */
const grouped = [
  ...["systems", "projects", "targets", "network", "probe", "freshness", "site", "maintenance", "notify"],
  ...["channels", ...kindNames],
];

/** Returns every key of mirrors.json in the groups of the document. */
export function settingsGroups(): Group[] {
  const group = (title: string, text: string, entries: Entry[]): Group => ({ title, text, entries });
  /** The keys of a level, without those that a level above it describes. */
  const levelKeys = (level: Schema, name: string, prefix: string): Entry[] =>
    keysOf(level, prefix).flatMap((entry) => {
      const levels = sharedKeys.get(entry.name.slice(prefix.length)) ?? [];
      return levels.length === 0 || levels[0] === name ? [{ ...entry, levels }] : [];
    });
  const overridden = Object.keys(valueOf(node, "probe").properties ?? {});
  return [
    group("File keys", "The keys of the outermost object.", levelKeys(file, "file", "")),
    group("System keys", "Each object in `systems`.", levelKeys(system, "system", "systems[].")),
    group(
      "Project keys",
      "Each object in `projects` of a system.",
      levelKeys(project, "project", "projects[]."),
    ),
    group("Target keys", "Each object in `targets` of a project.", levelKeys(target, "target", "targets[].")),
    group("Mirror keys", "Each object in `network` of a target.", levelKeys(node, "node", "network[].")),
    group(
      "Probe keys",
      "`probe` of the file. A project, a target and a node can replace some of its keys by a `probe` of their own: " +
        "the innermost one counts.",
      keysOf(probe, "probe.").flatMap((entry) => {
        const key = entry.name.slice("probe.".length);
        if (kindNames.some((kind) => kind === key)) return [];
        return [{ ...entry, levels: overridden.includes(key) ? inheriting : [] }];
      }),
    ),
    ...kindNames.flatMap((kind) => {
      if (probe.properties?.[kind] === undefined) return [];
      const text = `The object \`${kind}\` in \`probe\`, for mirrors of kind \`${kind}\`. The innermost level that has a key counts.`;
      return [group(`Options of kind \`${kind}\``, text, keysOf(valueOf(probe, kind), `probe.${kind}.`))];
    }),
    group(
      "Freshness keys",
      "`freshness` of the file, a project, a target or a node. The innermost level that has a key counts.",
      keysOf(valueOf(file, "freshness"), "freshness.").map((entry) => ({ ...entry, levels: inheriting })),
    ),
    group("Site keys", "The object `site`.", keysOf(valueOf(file, "site"), "site.")),
    group(
      "Maintenance keys",
      "Each object in `maintenance`.",
      keysOf(valueOf(file, "maintenance"), "maintenance[]."),
    ),
    group("Rule keys", "Each rule of `notify`.", keysOf(valueOf(file, "notify"), "notify[].")),
    ...Object.entries(registry).map(([type, { description, example }]) => {
      const whole: Readonly<Record<string, unknown>> = { type, ...example };
      const text = `${description} An entry of \`channels\`: ${code({ [type]: whole })}`;
      const entries = keysOf(channelOf(type), `${type}.`).map((entry) => ({
        ...entry,
        example: entry.example ?? whole[entry.name.slice(type.length + 1)],
      }));
      return group(`Channel keys of type \`${type}\``, text, entries);
    }),
  ];
}

/** Returns a JSON value as it stands in mirrors.json, as inline code without the braces of the outermost object. */
export function code(value: object): string {
  const text = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  return `\`${text.slice(2, -2).replaceAll(/\[ (.*?) \]/g, "[$1]")}\``;
}

/** Returns the keys of an object, each followed by those of objects in it, unless these have a group of their own. */
function keysOf({ properties = {}, required = [] }: Schema, prefix: string): Entry[] {
  return Object.entries(properties).flatMap(([key, schema]): Entry[] => {
    if (typeof schema === "boolean") return [];
    const name = `${prefix}${key}`;
    const example: unknown = schema.examples?.[0];
    const entry = { name, schema, required: required.includes(key), levels: [], example };
    if (grouped.includes(key)) return [entry];
    const [own, item] = [objectIn(schema), objectIn(itemsOf(schema))];
    if (own?.properties !== undefined) return [entry, ...keysOf(own, `${name}.`)];
    return item?.properties === undefined ? [entry] : [entry, ...keysOf(item, `${name}[].`)];
  });
}

/** Returns the object that a key holds, or that its list holds. */
function valueOf({ properties = {} }: Schema, key: string): Schema {
  const schema = properties[key];
  const found = typeof schema === "object" ? (objectIn(schema) ?? objectIn(itemsOf(schema))) : undefined;
  if (found === undefined) throw new Error(`${key} holds no object.`);
  return found;
}

function itemsOf({ items }: Schema): Schema | undefined {
  return typeof items === "object" && !Array.isArray(items) ? items : undefined;
}

/** Returns the alternative of a schema that is an object. */
function objectIn(schema: Schema | undefined): Schema | undefined {
  return schema?.type === "object" ? schema : schema?.anyOf?.find(({ type }) => type === "object");
}

/** Returns the schema of the channels of a type. */
function channelOf(type: string): Schema {
  const { additionalProperties } = valueOf(file, "channels");
  const types = typeof additionalProperties === "object" ? (additionalProperties.oneOf ?? []) : [];
  const found = types.find(({ properties }) => {
    const own = properties?.["type"];
    return typeof own === "object" && own.const === type;
  });
  return found ?? {};
}
