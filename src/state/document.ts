import * as z from "zod";
import { InputError } from "../base/errors.ts";
import { tryParseJson, withinStack } from "../base/text/json.ts";
import { maxRefs } from "../kinds/git-refs.ts";
import { vantagePattern } from "../probe/vantage.ts";
import { quote } from "../base/text/quote.ts";
import { nodeId, packed, runs, status, timestamp } from "./fields.ts";
import { areWithinLimits, incidentFields, incidentsSchema } from "./incident-document.ts";
import { byName, byNumber, entryLines } from "./entry-lines.ts";
import { formatNotifications, notificationsSchema } from "./notification-document.ts";
import type { Status } from "../contract/network.ts";
import { referenceSchema, refsDigest, revision } from "./reference-document.ts";
import { codePattern, phasePattern } from "../kinds/kinds.ts";

/** A code that only another version knows stays as it is. */
const code = z.string().regex(codePattern);

/** A change of the verdict: when, to which status, and the code that caused it. */
export type Transition = readonly [at: number, status: Status, code: string];

/** A change of the freshness of a node, or of its certificate with its expiry: when, and to what. */
export type ContentChange = readonly [at: number, code: string, expiry?: number | undefined];

export const transitionsKept = 8;
export const changesKept = 8;
/** How many run times a vantage keeps. */
export const timesKept = 512;

/** How many names of refs are kept of each sort. */
export const namesKept = 5;

const refNames = z.array(z.string().max(1000)).max(namesKept);
const refCount = z
  .int()
  .min(0)
  .max(2 * maxRefs);

/** How many refs a node lacks, has beside those of the reference, and has with another id; and the first of each. */
const refDifference = z.strictObject({
  missing: refCount,
  extra: refCount,
  different: refCount,
  names: z.strictObject({ missing: refNames, extra: refNames, different: refNames }),
});

/** What is known of a node, over all vantages. Unknown fields are left out. */
const node = z.strictObject({
  /** A digest of the URL that this entry is about. */
  url: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional(),
  status,
  /** When the status last changed. */
  since: timestamp,
  /** The code of the status, and its HTTP status. Missing while nothing was observed. */
  code: code.optional(),
  http_status: z.int().min(1).max(999).optional(),
  /** How far the request came that failed, and the code of the error. */
  phase: z.string().regex(phasePattern).optional(),
  cause: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
    .optional(),
  /** How many runs in a row have voted against the status; left out if none. */
  streak: z.int().min(1).max(1000).optional(),
  /** The newest last. */
  transitions: z
    .array(z.tuple([timestamp, status, code]).readonly())
    .max(transitionsKept)
    .readonly(),
  /** The changes of the freshness and the certificate, the newest last. Left out if there are none. */
  changes: z
    .array(z.tuple([timestamp, code, timestamp.optional()]).readonly())
    .max(changesKept)
    .readonly()
    .optional(),
  /** The time of the last evidence, if the runs since then had none. */
  unverified_since: timestamp.optional(),
  /** The last observed content and certificate. */
  revision: revision.optional(),
  branch: z.string().max(1000).optional(),
  /** When the reference left this revision, if it no longer keeps it. */
  behind_since: timestamp.optional(),
  /** Since when it has what no run saw at the reference. */
  apart_since: timestamp.optional(),
  /** Whether it lacks what the reference has had for a day, or has what the reference has not had for a day. */
  differs: z.literal(true).optional(),
  tls_expires_at: timestamp.optional(),
  /** The digest of the refs that are compared, and why they are missing. */
  refs: refsDigest.optional(),
  refs_unread: z.enum(["too_many", "unread"]).optional(),
  /** How the refs differ from those of the reference. Names are those of the first refs. */
  difference: refDifference.optional(),
  /** When the content was made, what is wrong with it, and since when that, or `differs`, is so. */
  content_at: timestamp.optional(),
  content_code: code.optional(),
  content_since: timestamp.optional(),
  /** Its content would make it offline, but it is the last reachable node of its target. */
  last_reachable: z.literal(true).optional(),
});

/** What a vantage keeps of a node. */
const tally = z.strictObject({
  /** The last code. Missing if the node was not observed. */
  code: code.optional(),
  /** The time of the first run that counted it. Missing if that is older than the kept times. */
  from: timestamp.optional(),
  hours: packed,
  days: packed,
});

const vantage = z.strictObject({
  /** The ends of the last runs in which this vantage was online, the newest last. */
  times: z.array(timestamp).min(1).max(timesKept),
  nodes: z.record(nodeId, tally),
});

/**
 * What is kept between runs. Times are epoch milliseconds, and the time of a run is its end. Keys are the ids of nodes,
 * `system/project/target` of references, and the names of vantages.
 */
const stateShape = z.strictObject({
  schema: z.literal(1),
  /** The last applied runs, the newest last. */
  runs,
  nodes: z.record(nodeId, node),
  references: z.record(z.string().max(400), referenceSchema),
  /** Missing if there are none. */
  incidents: incidentsSchema.optional(),
  /** Missing if there never was one. */
  notifications: notificationsSchema.optional(),
  vantages: z.record(z.string().regex(vantagePattern), vantage),
});

export const stateSchema = stateShape.refine(
  ({ incidents = {}, nodes }) => areWithinLimits(incidents, Object.keys(nodes).length),
  { path: ["incidents"] },
);

export type State = z.infer<typeof stateShape>;
export type NodeState = Readonly<z.infer<typeof node>>;
export type VantageState = z.infer<typeof vantage>;
export type NodeTally = z.infer<typeof tally>;

/** Returns a state as text: deterministic, with a line for each node, so that diffs are small. */
export function formatState({
  schema,
  runs,
  nodes,
  references,
  incidents,
  notifications,
  vantages,
}: State): string {
  const seen = Object.entries(vantages)
    .sort(([left], [right]) => byName(left, right))
    .map(
      ([name, { times, nodes: tallies }]) =>
        `${JSON.stringify(name)}:{"times":${JSON.stringify(times)},"nodes":{\n${entryLines(tallies, Object.keys(tally.shape), byNumber)}}}`,
    );
  const parts = [
    `{"schema":${schema},"runs":${JSON.stringify(runs)}`,
    `"nodes":{\n${entryLines(nodes, Object.keys(node.shape), byNumber)}}`,
    `"references":{\n${entryLines(references, Object.keys(referenceSchema.shape), byName)}}`,
    ...(incidents === undefined ? [] : [`"incidents":{\n${entryLines(incidents, incidentFields, byName)}}`]),
    ...(notifications === undefined ? [] : [`"notifications":${formatNotifications(notifications)}`]),
    `"vantages":{\n${seen.join(",\n")}}}`,
  ];
  return `${parts.join(",\n")}\n`;
}

const remedy = "restore the one before it, or move it away to begin anew.";

/**
 * Returns the state in a text. `source` names it in messages. Throws InputError if it is broken or of another schema: an
 * unreadable state never counts as an empty one.
 */
export function parseState(text: string, source: string): State {
  const value = tryParseJson(text);
  if (value === undefined) throw new InputError(`The state in ${source} is not JSON; ${remedy}`);
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
