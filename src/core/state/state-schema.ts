import * as z from "zod";
import type { Status } from "../contract/network.ts";
import { freshnesses } from "../verdict/rank.ts";
import { indexSchema } from "../kinds/mirror-content.ts";
import { maxRefs } from "../kinds/git-refs.ts";
import { codePattern, phasePattern } from "../kinds/kinds.ts";
import { latestRun, refsPattern, revisionPattern } from "../probe/observation.ts";
import { runIdPattern, vantagePattern } from "../base/text/name.ts";
import { packedPattern } from "./counts.ts";
import { nodeId, place, timestamp } from "./stored-values.ts";

// How many entries the state keeps.
export const runsKept = 64;
export const transitionsKept = 8;
export const changesKept = 8;
/** Run times for each vantage. */
export const timesKept = 512;
export const versionsKept = 32;
export const movesKept = 64;
export const answersKept = 64;
export const rewrittenKept = 8;
/** A mirror with more tags of its own than this is not judged by them. */
export const ownTagsKept = 32;
/** Ref names in each of the lists of missing, extra and different refs. */
export const namesKept = 5;
/** Open incidents are kept even beyond this limit. */
export const incidentsKept = 500;
/** Outages of all incidents together. Ongoing outages are kept even beyond this limit. */
export const outagesKept = 20_000;

const status = z.union([z.literal(0), z.literal(1)]);
/** Codes that this version does not know are kept as they are. */
const code = z.string().regex(codePattern);
const refName = z.string().max(1000);
const nodeKey = z.string().regex(/^[1-9]\d{0,15}$/);
/** For Git, an object id or its first digits. */
const revision = z.string().regex(revisionPattern);
const refsDigest = z.string().regex(refsPattern);

/** A change of a node's status, and the code that caused it. */
export type Transition = readonly [at: number, status: Status, code: string];

/** A change of a node's freshness or certificate. `expiry` is when the certificate expires. */
export type ContentChange = readonly [at: number, code: string, expiry?: number | undefined];

const count = z.int().min(1).max(1000);

const refNames = z.array(refName).max(namesKept);
const refCount = z
  .int()
  .min(0)
  .max(2 * maxRefs);

/** The first digits of a ref's object id. */
const keptId = z.string().regex(/^[0-9a-f]{10}$/);
/** Empty if the ref does not exist. */
const keptIdIfAny = z.union([keptId, z.literal("")]);

/**
 * When a mirror began to lack something or to be apart, the ref by which it does, and the mirror's value of that ref
 * (empty if the mirror lacks the ref).
 */
const clock = z.tuple([timestamp, refName, z.union([revision, z.literal("")])]).readonly();

const content = z.strictObject({
  /** The content that the mirror's own HEAD names. */
  revision: revision.optional(),
  branch: refName.optional(),
  /** The mirror's value of the reference's branch, unless it is `revision`. Empty if the mirror lacks the branch. */
  main: z.union([revision, z.literal("")]).optional(),
  /** When the mirror was first seen with this value. */
  main_since: timestamp.optional(),
  /** The digest of the compared refs. */
  refs: refsDigest.optional(),
  /** Why `refs` is missing. */
  refs_unread: z.enum(["too_many", "unread"]).optional(),
  /** Digits of a digest of each tag that only this mirror has and that is not held against it (freshness.ts). */
  own_tags: z
    .string()
    .regex(/^(?:[0-9a-f]{5}){0,33}$/)
    .optional(),
  /** How the content compares with the reference's, as of the last good answer. */
  freshness: z.enum(freshnesses).optional(),
  /** The time of the last good answer, if later runs had none. */
  unseen_since: timestamp.optional(),
  /** Since when the mirror's value of the reference's branch has been behind. */
  behind: clock.optional(),
  /** The same for the other refs. Two clocks, so that a branch that keeps moving hides no lost tag. */
  lacking: clock.optional(),
  /** The mirror has been behind for longer than the grace, and has not caught up with half of it since. */
  late: z.literal(true).optional(),
  apart: clock.optional(),
  /** The date of the content that started the clock `apart`. */
  apart_date: timestamp.optional(),
  /** The content has been apart for the grace, and the mirror has not gone back to the reference's content since. */
  differs: z.literal(true).optional(),
  tls_expires_at: timestamp.optional(),
  /** How many refs are missing, extra or different, and the first names of each. */
  difference: z
    .strictObject({
      ...{ missing: refCount, extra: refCount, different: refCount },
      names: z.strictObject({ missing: refNames, extra: refNames, different: refNames }),
    })
    .optional(),
  /** When the content was made. */
  content_at: timestamp.optional(),
  /** What is wrong with the content. */
  content_code: code.optional(),
  /** When the content became wrong or different. */
  content_since: timestamp.optional(),
  /**
   * The last proof that the mirror serves a commit that it lists: its time, the first digits of the commit, and how
   * many proofs in a row have failed or timed out.
   */
  proof: z
    .strictObject({
      at: timestamp,
      revision: z.string().regex(/^[0-9a-f]{16}$/),
      failed: count.optional(),
      timed_out: count.optional(),
    })
    .readonly()
    .optional(),
});

/** What is known about a node, across all vantages. Lists are oldest first. */
const node = z.strictObject({
  /** The name it had in the latest run, for when it has left the feed. */
  name: z.string().max(200).optional(),
  /** A digest of the URL that this entry describes. */
  url: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .optional(),
  status,
  /** When the status last changed. */
  since: timestamp,
  /** The reason for the status. Missing until something is observed. */
  code: code.optional(),
  http_status: z.int().min(1).max(999).optional(),
  phase: z.string().regex(phasePattern).optional(),
  cause: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
    .optional(),
  /** How many runs in a row voted against the status. */
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

/** A reference's tag that moved or vanished. If it vanished, the second id is empty. */
const rewrittenTag = z.tuple([timestamp, refName, keptIdIfAny, keptIdIfAny]).readonly();

/** Content that the reference has had. */
const version = z.strictObject({
  value: revision,
  /** When a run first saw it. */
  since: timestamp,
  /** When the content was made. */
  date: timestamp.optional(),
  /** A mirror has copied it. */
  taken: z.literal(true).optional(),
  index: indexSchema.optional(),
});

/** When a ref of the reference appeared, moved or vanished: its name, and its id before and after. */
const move = z.tuple([timestamp, refName, keptIdIfAny, keptIdIfAny]).readonly();

/**
 * What the servers said about a branch's commit (git-questions.ts): its place in the reference's history, and the
 * reference's commit at that time. Only "past" stays true when the reference moves on.
 */
const answer = z.tuple([refName, keptId, z.enum(["past", "newer", "apart"]), keptId]).readonly();

/** A reference and its history. Lists are oldest first. */
const reference = z.strictObject({
  /** The branch that the reference's HEAD names, without `refs/heads/`. Empty if HEAD names none. */
  branch: refName,
  /** The former and current content of that branch. Empty while HEAD names a branch without commits. */
  versions: z.array(version).max(versionsKept),
  /** The newest refs with their ids, without HEAD, if they fit. */
  refs: z.record(refName, keptId).optional(),
  moves: z.array(move).max(movesKept).optional(),
  /** Refs without an entry in `moves` have not moved since then. */
  known_from: timestamp.optional(),
  answers: z.array(answer).max(answersKept).optional(),
  /** Identifies the primary and the primary's ref patterns. If this value changes, the history of refs starts over. */
  refs_of: refsDigest.optional(),
  rewritten: z.array(rewrittenTag).max(rewrittenKept).optional(),
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
  node,
  tallies: z.record(z.string().regex(vantagePattern), tally),
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
  nodes: z.record(nodeKey, node),
  /** By `system/project/target`. */
  references: z.record(place, reference),
  /** By permanent id, which is the start date and some digits of a digest of host, code and start. */
  incidents: z.record(z.string().regex(/^\d{4}-\d\d-\d\d-[0-9a-f]{6,64}$/), incident).optional(),
  former: former.optional(),
  vantages: z.record(z.string().regex(vantagePattern), vantage),
});

/** Whether a state has no more incidents and outages than are kept for its number of nodes. */
export function hasFewIncidents({ incidents = {}, nodes }: State): boolean {
  const all = Object.values(incidents);
  const outages = all.reduce((sum, one) => sum + one.outages.length, 0);
  const ended = all.filter(({ end }) => end !== undefined).length;
  return ended <= incidentsKept && outages <= Math.max(outagesKept, Object.keys(nodes).length);
}

export type State = z.infer<typeof stateShape>;
export type NodeState = Readonly<z.infer<typeof node>>;
/** A node's content and certificate fields. */
export type NodeContent = Readonly<z.infer<typeof content>>;
export type VantageState = z.infer<typeof vantage>;
export type NodeTally = z.infer<typeof tally>;
export type Reference = Readonly<z.infer<typeof reference>>;
export type Version = Reference["versions"][number];
export type Clock = NonNullable<NodeContent["behind"]>;
export type RewrittenTag = z.infer<typeof rewrittenTag>;
export type Former = Readonly<z.infer<typeof former>>;
export type FormerNode = Readonly<z.infer<typeof formerNode>>;
export type Outage = z.infer<typeof outage>;
export type Incident = Readonly<z.infer<typeof incident>>;
export type Incidents = Readonly<Record<string, Incident>>;
