import * as z from "zod";
import * as registry from "../../src/channels/registry.ts";
import { isKindName, kindNames, kinds } from "../../src/kinds/kinds.ts";
import { configSchema } from "../../src/config/schema.ts";

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

type Path = readonly (string | number)[];

const root = z.toJSONSchema(configSchema, { io: "input" });
const systemPath: Path = ["systems", 0];
const projectPath: Path = [...systemPath, "projects", 0];
const targetPath: Path = [...projectPath, "targets", 0];
const nodePath: Path = [...targetPath, "network", 0];

/** The objects that a key may stand in directly, by the name of the level. */
const levels = { file: [], system: systemPath, project: projectPath, target: targetPath, node: nodePath };

/** Returns every key of mirrors.json in the groups of the document. */
export function settingsGroups(): Group[] {
  const probe = below([], "probe");
  const ownGroups = ["systems", "projects", "targets", "network", "probe", "freshness", "site"];
  const listed = [...ownGroups, "maintenance", "notify", "channels"];
  const group = (title: string, text: string, entries: Entry[]): Group => ({ title, text, entries });
  return [
    group("File keys", "The keys of the outermost object.", keysOf([], "", listed)),
    group("System keys", "Each object in `systems`.", keysOf(systemPath, "systems[].", listed)),
    group(
      "Project keys",
      "Each object in `projects` of a system.",
      keysOf(projectPath, "projects[].", listed),
    ),
    group("Target keys", "Each object in `targets` of a project.", keysOf(targetPath, "targets[].", listed)),
    group("Mirror keys", "Each object in `network` of a target.", keysOf(nodePath, "network[].", listed)),
    group(
      "Probe keys",
      "`probe` of the file. A project, a target and a node can replace some of its keys by a `probe` of their own: " +
        "the innermost one counts.",
      keysOf(probe, "probe.", [...listed, ...kindNames]).filter(({ name }) => !isKindName(name.slice(6))),
    ),
    ...kindNames.flatMap((kind) => {
      if (kinds[kind].options === undefined) return [];
      const text = `The object \`${kind}\` in \`probe\`, for mirrors of kind \`${kind}\`. The innermost level that has a key counts.`;
      return [group(`Options of kind \`${kind}\``, text, keysOf(below(probe, kind), `probe.${kind}.`, []))];
    }),
    group(
      "Freshness keys",
      "`freshness` of the file, a project, a target or a node. The innermost level that has a key counts.",
      keysOf(below([], "freshness"), "freshness.", listed),
    ),
    group("Site keys", "The object `site`.", keysOf(below([], "site"), "site.", listed)),
    group(
      "Maintenance keys",
      "Each object in `maintenance`.",
      keysOf(["maintenance", 0], "maintenance[].", []),
    ),
    group("Rule keys", "Each rule of `notify`.", keysOf(["notify", 0], "notify[].", [])),
    ...Object.entries(registry).map(([type, { description, example }]) => {
      const text = `${description} An entry of \`channels\`: ${code({ [type]: { type, ...example } })}`;
      return group(`Channel keys of type \`${type}\``, text, keysOf(["channels", type], `${type}.`, []));
    }),
  ];
}

/** Returns a JSON value as it stands in mirrors.json, as inline code without the braces of the outermost object. */
export function code(value: object): string {
  const text = JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, " ");
  return `\`${text.slice(2, -2).replaceAll(/\[ (.*?) \]/g, "[$1]")}\``;
}

function below(path: Path, key: string): Path {
  return [...path, key];
}

/** Returns the keys of an object, each followed by those of objects in it, but not of those that have a group of their own. */
function keysOf(path: Path, prefix: string, withGroup: readonly string[]): Entry[] {
  const { properties = {}, required = [] } = objectAt(path);
  return Object.entries(properties).flatMap(([key, schema]): Entry[] => {
    if (typeof schema === "boolean") return [];
    const here = below(path, key);
    const found = placesOf(here);
    const name = `${prefix}${key}`;
    // The same key of the level above says it.
    if (found[0]?.[1].join() !== here.join()) return [];
    const entry = {
      name,
      schema,
      required: required.includes(key),
      // An object in `probe` is replaced as a whole.
      levels: isNested(here) ? [] : found.map(([level]) => level),
      example: schema.examples?.[0] ?? exampleOfChannel(here),
    };
    if (withGroup.includes(key)) return [entry];
    const inner = innerPath(here, schema);
    return [
      entry,
      ...(inner === undefined ? [] : keysOf(inner, `${name}${inner === here ? "." : "[]."}`, [])),
    ];
  });
}

/** Returns whether a key stands in an object within `probe` or `freshness`. */
function isNested(path: Path): boolean {
  const start = path.findIndex((step) => step === "probe" || step === "freshness");
  return start >= 0 && path.length > start + 2;
}

/** Returns the path of the object with known keys that a value is or lists, or undefined if there is none. */
function innerPath(path: Path, schema: Schema): Path | undefined {
  if (objectIn(schema)?.properties !== undefined) return path;
  const { items } = schema;
  const isList =
    typeof items === "object" && !Array.isArray(items) && objectIn(items)?.properties !== undefined;
  return isList ? [...path, 0] : undefined;
}

/** Returns the levels at which a key of `probe`, `freshness` or a level itself stands, with its path there. */
function placesOf(path: Path): (readonly [level: string, path: Path])[] {
  const all = Object.entries(levels);
  const [own] = all.filter(([, start]) => start.every((step, index) => step === path[index])).toReversed();
  const rest = path.slice(own?.[1].length);
  const isShared = rest[0] === "probe" || rest[0] === "freshness" || rest[0] === "contact";
  if (!isShared) return [["", path]];
  return all.flatMap(([level, start]) =>
    schemaAt([...start, ...rest]) === undefined ? [] : [[level, [...start, ...rest]] as const],
  );
}

function objectAt(path: Path): Schema {
  return objectIn(schemaAt(path)) ?? {};
}

/** Returns the schema of the value at a path, or undefined if nothing can stand there. */
function schemaAt(path: Path): Schema | undefined {
  let schema: Schema | undefined = root;
  for (const step of path) schema = schema === undefined ? undefined : stepInto(schema, step);
  return schema;
}

function stepInto(schema: Schema, step: string | number): Schema | undefined {
  for (const one of [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
    if (typeof one === "boolean") continue;
    const found = typeof step === "number" ? one.items : (one.properties?.[step] ?? channelOf(one, step));
    if (typeof found === "object" && !Array.isArray(found)) return found;
  }
  return undefined;
}

/** Returns the schema of the channels of a type. */
function channelOf({ additionalProperties }: Schema, type: string): Schema | undefined {
  if (typeof additionalProperties !== "object") return undefined;
  const types = additionalProperties.oneOf ?? [];
  return types.find((one) => {
    const own = one.properties?.["type"];
    return typeof own === "object" && own.const === type;
  });
}

/** Returns the alternative of a schema that is an object. */
function objectIn(schema: Schema | undefined): Schema | undefined {
  if (schema?.type === "object") return schema;
  const found = schema?.anyOf?.find((one) => one.type === "object");
  return found;
}

function exampleOfChannel([top, type, key, ...more]: Path): unknown {
  if (top !== "channels" || key === undefined || more.length > 0) return undefined;
  const [, channel] = Object.entries(registry).find(([name]) => name === type) ?? [];
  const example = { type, ...channel?.example };
  return Object.entries(example).find(([name]) => name === key)?.[1];
}
