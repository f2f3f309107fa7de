import * as z from "zod";
import type { Status } from "../contract/network.ts";
import { indexSchema } from "../kinds/mirror-content.ts";
import { maxRefs } from "../kinds/git-refs.ts";
import { codePattern, phasePattern } from "../kinds/kinds.ts";
import { familyCode, latestRun, refsPattern, revisionPattern } from "../probe/observation.ts";
import { vantagePattern } from "../base/text/name.ts";
import { packedPattern } from "./counts.ts";
import { notifications } from "./notifications.ts";
import { nodeId, place, timestamp } from "./stored-values.ts";

// How many of each are kept.
export const runsKept = 64;
export const transitionsKept = 8;
export const changesKept = 8;
/** Run times of a vantage. */
export const timesKept = 512;
export const revisionsKept = 8;
/** Digests of the refs of a reference. */
export const setsKept = 20;
export const rewrittenKept = 8;
/** Names of each sort in a difference of refs. */
export const namesKept = 5;
/** Incidents and all their outages. Open ones stay, however many they are. */
export const incidentsKept = 500;
export const outagesKept = 20_000;

const status = z.union([z.literal(0), z.literal(1)]);
/** A code that only another version knows stays as it is. */
const code = z.string().regex(codePattern);
const refName = z.string().max(1000);
const nodeKey = z.string().regex(/^[1-9]\d{0,15}$/);
/** For Git an object id or its first digits. */
const revision = z.string().regex(revisionPattern);
const refsDigest = z.string().regex(refsPattern);

/** A change of the verdict: when, to which status, and the code that caused it. */
export type Transition = readonly [at: number, status: Status, code: string];

/** A change of the freshness of a node, or of its certificate with its expiry: when, and to what. */
export type ContentChange = readonly [at: number, code: string, expiry?: number | undefined];

const refNames = z.array(refName).max(namesKept);
const refCount = z
  .int()
  .min(0)
  .max(2 * maxRefs);

const content = z.strictObject({
  revision: revision.optional(),
  branch: refName.optional(),
  /** When the reference left this revision, if it no longer keeps it. */
  behind_since: timestamp.optional(),
  /** Since when it has content that no run saw at the reference. */
  apart_since: timestamp.optional(),
  /** It has lacked what the reference has, or had what the reference lacks, for a day. */
  differs: z.literal(true).optional(),
  tls_expires_at: timestamp.optional(),
  /** The digest of the refs that are compared, and why they are missing. */
  refs: refsDigest.optional(),
  refs_unread: z.enum(["too_many", "unread"]).optional(),
  /** How many refs are missing, extra or different, and the first of each. */
  difference: z
    .strictObject({
      ...{ missing: refCount, extra: refCount, different: refCount },
      names: z.strictObject({ missing: refNames, extra: refNames, different: refNames }),
    })
    .optional(),
  /** When the content was made, what is wrong with it, and since when (for `differs` too). */
  content_at: timestamp.optional(),
  content_code: code.optional(),
  content_since: timestamp.optional(),
});

/** What is known of a node, over all vantages. Lists have the newest last. */
const node = z.strictObject({
  /** A digest of the URL that this entry is about. */
  url: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional(),
  status,
  /** When the status last changed. */
  since: timestamp,
  /** Why the status is what it is. Missing while nothing was observed. */
  code: code.optional(),
  http_status: z.int().min(1).max(999).optional(),
  phase: z.string().regex(phasePattern).optional(),
  cause: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
    .optional(),
  /** The number of runs in a row that voted against the status. */
  streak: z.int().min(1).max(1000).optional(),
  transitions: z
    .array(z.tuple([timestamp, status, code]).readonly())
    .max(transitionsKept)
    .readonly(),
  changes: z
    .array(z.tuple([timestamp, code, timestamp.optional()]).readonly())
    .max(changesKept)
    .readonly()
    .optional(),
  /** The time of the last evidence, if the runs since then had none. */
  unverified_since: timestamp.optional(),
  ...content.shape,
  /** Why it is online although its content would take it offline. */
  kept_online: z.enum(["last_reachable", "primary_alone"]).optional(),
});

const packedCounts = z.string().max(6000).regex(packedPattern);

/** What a vantage keeps of a node. */
const tally = z.strictObject({
  /** The last code. Missing if the node was not observed. */
  code: code.optional(),
  /** The time of the first run that counted it. Missing if that is older than the kept times. */
  from: timestamp.optional(),
  hours: packedCounts,
  days: packedCounts,
});

const vantage = z.strictObject({
  /** The ends of the last runs in which this vantage was online, the newest last. */
  times: z.array(timestamp).min(1).max(timesKept),
  nodes: z.record(nodeKey, tally),
});

/** The first digits of the object id of a ref. */
const keptId = z.string().regex(/^[0-9a-f]{10}$/);

/** A tag of a reference that moved, or vanished: then the second id is empty. */
const rewrittenTag = z.tuple([timestamp, refName, keptId, z.union([keptId, z.literal("")])]);

/** The history of a reference. Lists have the newest last. */
const reference = z.strictObject({
  branch: refName,
  revisions: z.array(z.tuple([revision, timestamp])).max(revisionsKept),
  /** What is known of the content of these revisions: when it was made, and what lists and probes need. */
  contents: z
    .record(revision, z.strictObject({ at: timestamp.optional(), index: indexSchema.optional() }))
    .optional(),
  /** The digests of its refs like the revisions, and the newest refs with their ids, if there is room for them. */
  sets: z
    .array(z.tuple([refsDigest, timestamp]))
    .max(setsKept)
    .optional(),
  refs: z.record(refName, keptId).optional(),
  /** Since when the refs are known, and those that changed, appeared or vanished on the last day. */
  refs_since: timestamp.optional(),
  recent: z.record(refName, timestamp).optional(),
  /** Identifies the primary and the patterns: with another one, the history begins anew. */
  refs_of: refsDigest.optional(),
  rewritten: z.array(rewrittenTag).max(rewrittenKept).optional(),
  /**
   * Since when the primary has had content that no other mirror has taken, and whether most others agreed on another
   * one.
   */
  unfollowed_since: timestamp.optional(),
  stands_alone: z.literal(true).optional(),
});

/** An outage of a node: its id, its start, and its end unless it lasts. */
const outage = z.tuple([nodeId, timestamp, timestamp.optional()]);

/** Nodes of one host that went offline for one code. Its times are those of runs. */
const incident = z.strictObject({
  host: z.string().min(1).max(2000),
  code,
  start: timestamp,
  /** Missing while it lasts. */
  end: timestamp.optional(),
  /** By their start and their node. */
  outages: z.array(outage),
  /** How many of its nodes have left the feed. */
  gone: z.int().min(1).optional(),
});

const family = z.strictObject({
  /** What the last check found, and when. */
  code: familyCode,
  at: timestamp,
  /** Since when it is unreachable: two checks in a row decide that, and two that it is back. */
  since: timestamp.optional(),
  streak: z.literal(1).optional(),
});

/** A host with addresses of both families, and when it was last checked over the one that did not answer a probe. */
const host = z.strictObject({ at: timestamp, ipv4: family.optional(), ipv6: family.optional() });

/** What is kept between runs. The time of a run is its end. */
const stateShape = z.strictObject({
  schema: z.literal(1),
  /** The last applied runs, the newest last. */
  runs: z.array(z.tuple([z.string().min(1).max(200), timestamp.max(latestRun)])).max(runsKept),
  nodes: z.record(nodeKey, node),
  /** By `system/project/target`. */
  references: z.record(place, reference),
  /** By host and port, as in URLs. */
  hosts: z.record(z.string().min(1).max(2000), host).optional(),
  /** By their permanent ids: the date of their start, and digits of a digest of their host, code and start. */
  incidents: z.record(z.string().regex(/^\d{4}-\d\d-\d\d-[0-9a-f]{6,64}$/), incident).optional(),
  notifications: notifications.optional(),
  vantages: z.record(z.string().regex(vantagePattern), vantage),
});

/** Refuses more incidents and outages than a state with so many nodes keeps. */
export const stateSchema = stateShape.refine(
  ({ incidents = {}, nodes }) => {
    const all = Object.values(incidents);
    const outages = all.reduce((sum, one) => sum + one.outages.length, 0);
    const ended = all.filter(({ end }) => end !== undefined).length;
    return ended <= incidentsKept && outages <= Math.max(outagesKept, Object.keys(nodes).length);
  },
  { path: ["incidents"] },
);

export type State = z.infer<typeof stateShape>;
export type NodeState = Readonly<z.infer<typeof node>>;
/** The fields of a node that are about its content and its certificate. */
export type NodeContent = Readonly<z.infer<typeof content>>;
export type VantageState = z.infer<typeof vantage>;
export type NodeTally = z.infer<typeof tally>;
export type Reference = Readonly<z.infer<typeof reference>>;
export type HostState = Readonly<z.infer<typeof host>>;
export type FamilyState = Readonly<z.infer<typeof family>>;
export type RewrittenTag = z.infer<typeof rewrittenTag>;
export type Outage = z.infer<typeof outage>;
export type Incident = Readonly<z.infer<typeof incident>>;
export type Incidents = Readonly<Record<string, Incident>>;
