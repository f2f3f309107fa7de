import { InputError } from "../base/errors.ts";
import { tryParseJson, withinStack } from "../base/text/json.ts";
import { quote } from "../base/text/quote.ts";
import { type State, stateSchema } from "./state-schema.ts";

/** The paths to the objects that are written with one entry per line, as a tree of keys. `*` matches every key. */
interface Lines {
  readonly [key: string]: Lines | undefined;
}

const lines: Lines = {
  nodes: {},
  references: {},
  hosts: {},
  incidents: {},
  former: { nodes: {}, references: {} },
  notifications: { events: {}, outbox: {} },
  vantages: { "*": { nodes: {} } },
};

/** Formats equal states as equal text, with a line for each node so that diffs are small. */
export function formatState(state: State): string {
  return `${format(state, lines)}\n`;
}

function format(value: unknown, lines?: Lines): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return JSON.stringify(value);
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${format(part, lines?.[key] ?? lines?.["*"])}`);
  return lines === undefined ? `{${parts.join(",")}}` : `{\n${parts.join(",\n")}}`;
}

/** Other JSON files that mirrorfeed writes, recognized by a key that no state has. */
const otherFiles: Readonly<Record<string, string>> = {
  observations: "a results file",
  files: "a site manifest",
  generated_at: "a feed's report",
  systems: "a feed document",
  projects: "a feed document",
  targets: "a feed document",
  network: "a feed document",
};

/** Returns which of these files a value comes from, or undefined if none is recognized. */
function otherFile(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  // The systems in mirrors.json are objects; those in a feed document are names.
  if ("systems" in value && typeof [value.systems].flat()[0] === "object") return "a mirrors.json file";
  return Object.entries(otherFiles).find(([key]) => Object.hasOwn(value, key))?.[1];
}

/**
 * Throws InputError, naming `source`, if the state is invalid: an invalid state never counts as an empty one. `earlier` says
 * how to bring back an earlier state.
 */
export function parseState(text: string, source: string, earlier = "restore an earlier state"): State {
  const remedy = `${earlier}, or move this one away to start over.`;
  const value = tryParseJson(text);
  if (value === undefined) throw new InputError(`The state in ${source} is not JSON; ${remedy}`);
  const other = otherFile(value);
  if (other !== undefined)
    throw new InputError(`${source} is ${other}, not a state; name another file with --state.`);
  const version = typeof value === "object" && value !== null && "schema" in value ? value.schema : undefined;
  if (typeof version === "number" && version > 1) {
    throw new InputError(
      `The state in ${source} was written by a newer version of mirrorfeed (schema ${version}, not 1); use that version, or move the state away to start over.`,
    );
  }
  const parsed = withinStack(
    () => stateSchema.safeParse(value),
    `The state in ${source} is not valid; ${remedy}`,
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue === undefined ? "" : ` at ${quote(issue.path.join(".") || "the top level")}`;
  throw new InputError(`The state in ${source} is broken${at}; ${remedy}`);
}
