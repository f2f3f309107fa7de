import { InputError } from "../base/errors.ts";
import { tryParseJson, withinStack } from "../base/text/json.ts";
import { quote } from "../base/text/quote.ts";
import { type State, stateSchema } from "./schema.ts";

/** The objects with a line for each key, and what of them has lines too. `*` is every key. */
interface Lines {
  readonly [key: string]: Lines | undefined;
}

const lines: Lines = {
  nodes: {},
  references: {},
  hosts: {},
  incidents: {},
  notifications: { events: {}, outbox: {} },
  vantages: { "*": { nodes: {} } },
};

/** Returns a state as text: equal states have equal texts, and diffs are small, as each node has a line. */
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

/** Other JSON files of mirrorfeed or a feed, each recognized by a key that no state has. */
const otherFiles: Readonly<Record<string, string>> = {
  observations: "a results file",
  files: "the manifest of a site",
  generated_at: "the report of a feed",
  systems: "a document of a feed",
  projects: "a document of a feed",
  targets: "a document of a feed",
  network: "a document of a feed",
};

/** Returns what kind of file is not a state, or undefined if it is unknown. */
function otherFile(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  // The first system of mirrors.json is an object, and that of a document its name.
  if ("systems" in value && typeof [value.systems].flat()[0] === "object") return "a mirrors.json";
  return Object.entries(otherFiles).find(([key]) => Object.hasOwn(value, key))?.[1];
}

const remedy = "restore an earlier one, or move it away to start over.";

/**
 * Returns the state in a text. `source` names it in messages. Throws InputError if it is broken or of another schema:
 * an unreadable state never counts as an empty one.
 */
export function parseState(text: string, source: string): State {
  const value = tryParseJson(text);
  if (value === undefined) throw new InputError(`The state in ${source} is not JSON; ${remedy}`);
  const other = otherFile(value);
  if (other !== undefined)
    throw new InputError(`${source} is ${other}, and not a state; name another file with --state.`);
  const version = typeof value === "object" && value !== null && "schema" in value ? value.schema : undefined;
  if (typeof version === "number" && version > 1) {
    throw new InputError(
      `The state in ${source} was written by another version of mirrorfeed (schema ${version}, not 1); use that version, or move the state away to start over.`,
    );
  }
  const parsed = withinStack(
    () => stateSchema.safeParse(value),
    `The state in ${source} is not valid; ${remedy}`,
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue === undefined ? "" : ` at ${quote(issue.path.join("."))}`;
  throw new InputError(`The state in ${source} is broken${at}; ${remedy}`);
}
