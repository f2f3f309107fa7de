import * as z from "zod";
import { InputError } from "../errors.ts";
import { jsonValue } from "../json-value.ts";
import { type Code, codes, latestMoment, latestRun } from "../probe/observation.ts";
import { vantagePattern } from "../probe/vantage.ts";
import { quote } from "../quote.ts";
import { withinStack } from "../within-stack.ts";
import { packedPattern } from "./counts.ts";
import { revisionsKept } from "./freshness.ts";
import type { Status } from "./verdict.ts";

const moment = z.int().min(0).max(latestMoment);
const status = z.union([z.literal(0), z.literal(1)]);
const packed = z.string().max(6000).regex(packedPattern);
const code = z.enum(codes);
const nodeId = z.string().regex(/^[1-9]\d{0,15}$/);

/** A change of the verdict: when, to which status, and the code that brought it. */
export type Transition = readonly [at: number, status: Status, code: Code];

/** What is remembered of a node, whatever the vantages. */
export interface NodeState {
  readonly status: Status;
  /** When the status became what it is. */
  readonly since: number;
  /** The code that brought the status, and the HTTP status that came with it; no code where nothing was observed. */
  readonly code: Code | undefined;
  readonly httpStatus: number | undefined;
  /** How many runs in a row have voted against the status. */
  readonly streak: number;
  /** The newest last. */
  readonly transitions: readonly Transition[];
  /** What was seen last of its content and its certificate. */
  readonly revision: string | undefined;
  readonly branch: string | undefined;
  readonly tlsExpiresAt: number | undefined;
}

export const transitionsKept = 8;

/** A node as it is stored: a tuple, since names would be a third of it; 0 and "" stand for what is not known. */
const node = z
  .tuple([
    status,
    moment,
    z.union([code, z.literal("")]),
    z.int().min(0).max(999),
    z.int().min(0).max(1000),
    z.array(z.tuple([moment, status, code])).max(transitionsKept),
    z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/),
    z.string().max(1000),
    moment,
  ])
  .transform(
    ([own, since, cause, httpStatus, streak, transitions, revision, branch, tlsExpiresAt]): NodeState => ({
      status: own,
      since,
      code: cause || undefined,
      httpStatus: httpStatus || undefined,
      streak,
      transitions,
      revision: revision || undefined,
      branch: revision === "" ? undefined : branch,
      tlsExpiresAt: tlsExpiresAt || undefined,
    }),
  );

function storedNode(one: NodeState): z.input<typeof node> {
  const {
    status: own,
    since,
    code: cause,
    httpStatus,
    streak,
    transitions,
    revision,
    branch,
    tlsExpiresAt,
  } = one;
  const kept = transitions.map(([at, to, by]): [number, Status, Code] => [at, to, by]);
  return [
    own,
    since,
    cause ?? "",
    httpStatus ?? 0,
    streak,
    kept,
    revision ?? "",
    branch ?? "",
    tlsExpiresAt ?? 0,
  ];
}

const reference = z.strictObject({
  branch: z.string().max(1000),
  revisions: z.array(z.tuple([z.string().regex(/^[0-9a-f]{16}$/), moment])).max(revisionsKept),
});

const vantage = z.strictObject({
  /** When this vantage was last online in a run. */
  at: moment,
  /** Of each node: its last code here, its hours and its days. */
  nodes: z.record(nodeId, z.tuple([z.union([code, z.literal("")]), packed, packed])),
});

/**
 * What is remembered between runs. Moments are epochs in milliseconds, times of a run are those of its end. Keys are
 * the ids of nodes, `system/project/target` of references, the names of vantages.
 */
const stateSchema = z.strictObject({
  schema: z.literal(1),
  /** The last runs that were applied, the newest last. */
  runs: z.array(z.tuple([z.string().min(1).max(200), moment.max(latestRun)])).max(64),
  nodes: z.record(nodeId, node),
  references: z.record(z.string().max(400), reference),
  vantages: z.record(z.string().regex(vantagePattern), vantage),
});

export type State = z.infer<typeof stateSchema>;
export type VantageState = z.infer<typeof vantage>;

/** A state as text: deterministic, a line for each node, so that its differences are small. */
export function formatState({ schema, runs, nodes, references, vantages }: State): string {
  const stored = Object.fromEntries(Object.entries(nodes).map(([id, one]) => [id, storedNode(one)]));
  const seen = Object.entries(vantages)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(
      ([name, { at, nodes: tallies }]) =>
        `${JSON.stringify(name)}:{"at":${at},"nodes":{\n${lines(tallies)}}}`,
    );
  const parts = [
    `{"schema":${schema},"runs":${JSON.stringify(runs)}`,
    `"nodes":{\n${lines(stored)}}`,
    `"references":{\n${lines(references)}}`,
    `"vantages":{\n${seen.join(",\n")}}}`,
  ];
  return `${parts.join(",\n")}\n`;
}

function lines(record: Readonly<Record<string, unknown>>): string {
  const keys = Object.keys(record).sort(byNumberOrName);
  return keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(record[key])}`).join(",\n");
}

const remedy = "restore the one before it, or move it away to begin anew.";

/**
 * The state in a text; `place` is where it stands, for messages. Throws InputError where it is broken or of a newer
 * mirrorfeed: a state that cannot be read is never taken for none.
 */
export function parseState(text: string, place: string): State {
  const value = jsonValue(text);
  if (value === undefined) throw new InputError(`The state in ${place} is not JSON; ${remedy}`);
  const version = typeof value === "object" && value !== null && "schema" in value ? value.schema : undefined;
  if (typeof version === "number" && version > 1) {
    throw new InputError(
      `The state in ${place} is of a newer mirrorfeed (schema ${version}); update this one.`,
    );
  }
  const parsed = withinStack(
    () => stateSchema.safeParse(value),
    `The state in ${place} is broken all over; ${remedy}`,
  );
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const at = issue === undefined ? "" : ` at ${quote(issue.path.join("."))}`;
  throw new InputError(`The state in ${place} is broken${at}; ${remedy}`);
}

function byNumberOrName(left: string, right: string): number {
  const difference = Number(left) - Number(right);
  if (!Number.isNaN(difference)) return difference;
  return left < right ? -1 : 1;
}
