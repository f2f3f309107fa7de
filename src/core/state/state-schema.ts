import * as z from "../base/zod.ts";
import { runIdPattern, vantagePattern } from "../base/text/name.ts";
import { latestRun, observationSchema } from "../probe/observation.ts";
import { code, content, nodeId, place, reference, timestamp } from "./content-schema.ts";
import { packedPattern } from "./counts.ts";

// How many entries the state keeps.
export const runsKept = 64;
export const transitionsKept = 8;
export const changesKept = 8;
/** Run times for each vantage. */
export const timesKept = 512;
/** A mirror with more tags of its own than this is not judged by them. */
export const ownTagsKept = 32;
/** Open incidents are kept even beyond this limit. */
export const incidentsKept = 500;
/** Outages of all ended incidents together. */
export const outagesKept = 20_000;

const { shape: observed } = observationSchema;
const status = z.union([z.literal(0), z.literal(1)]);
const nodeKey = z.string().regex(/^[1-9]\d{0,15}$/);
const urlDigits = z.string().regex(/^[0-9a-f]{12}$/);
const vantageName = z.string().regex(vantagePattern);

/** A change of a node's status, and the code that caused it. */
const transition = z.tuple([timestamp, status, code]).readonly();

/** A change of a node's freshness or certificate, and when a certificate expires. */
const change = z.tuple([timestamp, code, timestamp.optional()]).readonly();

/** What is known about a node, across all vantages. Lists are oldest first. */
export const storedNode = z.strictObject({
  /** The name it had in the latest run, for when it has left the feed. */
  name: z.string().max(200).optional(),
  /** A digest of the URL that this entry describes. */
  url: urlDigits.optional(),
  status,
  /** When the status last changed. */
  since: timestamp,
  /** The reason for the status. Missing until something is observed. */
  code: code.optional(),
  http_status: observed.http_status,
  phase: observed.phase,
  cause: observed.cause,
  /** How many runs in a row voted against the status. */
  streak: z.int().min(1).max(1000).optional(),
  transitions: z.array(transition).max(transitionsKept).readonly(),
  changes: z.array(change).max(changesKept).readonly().optional(),
  /** The time of the last evidence, if later runs had none. */
  unverified_since: timestamp.optional(),
  ...content.shape,
  /** Why the node stays online although its content would take it offline. */
  kept_online: z.enum(["last_reachable", "primary_alone"]).optional(),
});

const packedCounts = z.string().max(6000).regex(packedPattern);

/** What the state keeps about a node for one vantage. */
const tally = z.strictObject({
  /** The code in the latest run. Missing if that run did not observe the node. */
  code: code.optional(),
  /** The time of the first run that counted the node. Missing once that run is older than every run in `times`. */
  from: timestamp.optional(),
  hours: packedCounts,
  days: packedCounts,
});

const vantage = z.strictObject({
  /** End times of the last runs in which this vantage was online, newest last. */
  times: z.array(timestamp).min(1).max(timesKept),
  nodes: z.record(nodeKey, tally),
});

/** A node's outage: its id, start, and end unless it is ongoing. */
const outage = z.tuple([nodeId, timestamp, timestamp.optional()]);

/** Nodes of one host that went offline with the same code. All times are run times. */
const incident = z.strictObject({
  host: z.string().min(1).max(2000),
  code,
  start: timestamp,
  /** Missing while the incident is open. */
  end: timestamp.optional(),
  /** Sorted by start and node. */
  outages: z.array(outage),
  /** How many nodes of the incident have left the feed. */
  gone: z.int().min(1).optional(),
});

/** A node that has left the feed, or has another URL now, and its tallies by vantage. */
const formerNode = z.strictObject({
  at: timestamp,
  node: storedNode,
  tallies: z.record(vantageName, tally),
});

/** What has left the feed and comes back with its history if the feed has it again. */
const former = z.strictObject({
  nodes: z.record(nodeKey, formerNode),
  references: z.record(place, z.strictObject({ at: timestamp, reference })),
  /** The greatest id of all nodes that ever left. */
  last_id: nodeId,
});

/** What is kept between runs, without the features' parts. The time of a run is its end. */
export const stateShape = z.strictObject({
  schema: z.literal(1),
  /** The last applied runs, newest last. */
  runs: z.array(z.tuple([z.string().regex(runIdPattern), timestamp.max(latestRun)])).max(runsKept),
  nodes: z.record(nodeKey, storedNode),
  /** By `system/project/target`. */
  references: z.record(place, reference),
  /** By permanent id, which is the start date and some digits of a digest of host, code and start. */
  incidents: z.record(z.string().regex(/^\d{4}-\d\d-\d\d-[0-9a-f]{6,64}$/), incident).optional(),
  former: former.optional(),
  vantages: z.record(vantageName, vantage),
});

/** Whether a state has no more ended incidents and outages than are kept. */
export function hasFewIncidents({ incidents = {} }: State): boolean {
  const ended = Object.values(incidents).filter(({ end }) => end !== undefined);
  const outages = ended.reduce((sum, one) => sum + one.outages.length, 0);
  return ended.length <= incidentsKept && outages <= outagesKept;
}

export type State = z.infer<typeof stateShape>;
export type NodeState = Readonly<z.infer<typeof storedNode>>;
export type VantageState = z.infer<typeof vantage>;
export type NodeTally = z.infer<typeof tally>;
export type Former = Readonly<z.infer<typeof former>>;
export type Outage = z.infer<typeof outage>;
export type Incident = Readonly<z.infer<typeof incident>>;
export type Incidents = Readonly<Record<string, Incident>>;
export type ContentChange = z.infer<typeof change>;
