import type * as z from "../base/zod.ts";
import { InputError } from "../base/errors.ts";
import { tryParseJson, withinStack } from "../base/text/json.ts";
import { quote } from "../base/text/quote.ts";
import { hasFewIncidents, type State, stateShape } from "./state-schema.ts";

/** The paths to the objects that are written with one entry per line, as a tree of keys. `*` matches every key. */
interface Lines {
  readonly [key: string]: Lines | undefined;
}

const lines: Lines = {
  nodes: {},
  references: {},
  incidents: {},
  former: { nodes: {}, references: {} },
  vantages: { "*": { nodes: {} } },
};

/** How a state is read and written that has parts of features beside its own. */
export interface StateDocument<Whole extends State = State> {
  readonly schema: z.ZodType<Whole>;
  /** What of the features' parts is written with one entry per line. */
  readonly lines: Lines;
}

/** For readers that need no feature's part. */
export const coreDocument: StateDocument = {
  schema: stateShape.loose().refine(hasFewIncidents, { path: ["incidents"] }),
  lines: {},
};

/** Formats equal states as equal JSON, with a line for each node so that diffs are small. */
export function formatState(state: State, document: Pick<StateDocument, "lines"> = coreDocument): Buffer {
  const chunks: Buffer[] = [];
  let text = "";
  for (const piece of piecesOf(state, { ...lines, ...document.lines })) {
    text += piece;
    if (text.length < chunkLength) continue;
    chunks.push(Buffer.from(text));
    text = "";
  }
  return Buffer.concat([...chunks, Buffer.from(`${text}\n`)]);
}

/** Text is encoded in chunks, because the text of a large state would need too much memory. */
const chunkLength = 65_536;

function* piecesOf(value: object, lines: Lines): Generator<string> {
  yield "{\n";
  for (const [index, [key, part]] of entriesOf(value).entries()) {
    yield `${index === 0 ? "" : ",\n"}${JSON.stringify(key)}:`;
    const below = lines[key] ?? lines["*"];
    if (below === undefined || !isRecord(part)) yield format(part);
    else yield* piecesOf(part, below);
  }
  yield "}";
}

function format(value: unknown): string {
  if (!isRecord(value)) return JSON.stringify(value);
  const parts = entriesOf(value).map(([key, part]) => `${JSON.stringify(key)}:${format(part)}`);
  return `{${parts.join(",")}}`;
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entriesOf(value: object): [string, unknown][] {
  return Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/** An invalid state is an InputError, never an empty state. `earlier` says how to bring back an earlier one. */
export function parseState<Whole extends State>(
  text: string,
  source: string,
  { schema }: Pick<StateDocument<Whole>, "schema">,
  earlier = "restore an earlier state",
): Whole {
  const remedy = `${earlier}, or move this one away to start over.`;
  const value = tryParseJson(text);
  if (value === undefined) throw new InputError(`The state in ${source} is not JSON; ${remedy}`);
  const version = typeof value === "object" && value !== null && "schema" in value ? value.schema : undefined;
  if (typeof version === "number" && version > 1) {
    throw new InputError(
      `The state in ${source} was written by a newer version of mirrorfeed (schema ${version}, not 1); use that version, or move the state away to start over.`,
    );
  }
  const parsed = withinStack(() => schema.safeParse(value), `The state in ${source} is not valid; ${remedy}`);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue === undefined ? "" : ` at ${quote(issue.path.join(".") || "the top level")}`;
  throw new InputError(`The state in ${source} is broken${at}; ${remedy}`);
}
