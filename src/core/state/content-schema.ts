import * as z from "../base/zod.ts";
import { maxRefs } from "../kinds/git-refs.ts";
import { codePattern } from "../kinds/kinds.ts";
import { indexSchema, targetWarning } from "../kinds/mirror-content.ts";
import { latestTimestamp, observationSchema } from "../probe/observation.ts";
import { freshnesses } from "../verdict/rank.ts";

// How many entries the state keeps of each.
export const versionsKept = 32;
export const movesKept = 64;
export const answersKept = 64;
export const rewrittenKept = 8;
/** Ref names in each of the lists of missing, extra and different refs. */
export const namesKept = 5;

/** Epoch milliseconds. */
export const timestamp = z.int().min(0).max(latestTimestamp);
export const nodeId = z.int().min(1);
/** `system/project/target`. */
export const place = z.string().max(400);
/** Codes that this version does not know are kept as they are. */
export const code = z.string().regex(codePattern);
const refName = z.string().max(1000);
const { shape: observed } = observationSchema;
/** For Git, an object id or its first digits. */
const revision = observed.revision.unwrap();
const revisionIfAny = z.union([revision, z.literal("")]);
/** The first digits of a ref's object id. */
const keptId = z.string().regex(/^[0-9a-f]{10}$/);

/** Since when a mirror lacks something or is apart, by which ref, and its value of that ref, empty if it has none. */
const clock = z.tuple([timestamp, refName, revisionIfAny]).readonly();

const count = z.int().min(1).max(1000);
const refNames = z.array(refName).max(namesKept);
const mostDifferences = 2 * maxRefs;
const refCount = z.int().min(0).max(mostDifferences);
const tagDigits = z.string().regex(/^(?:[0-9a-f]{5}){0,33}$/);

/** What is known about a mirror's content and certificate. */
export const content = z.strictObject({
  /** The content that the mirror's own HEAD names. */
  revision: observed.revision,
  branch: refName.optional(),
  /** The mirror's value of the reference's branch, unless it is `revision`. Empty if the mirror lacks the branch. */
  main: revisionIfAny.optional(),
  /** When the mirror was first seen with this value. */
  main_since: timestamp.optional(),
  /** The digest of the compared refs. */
  refs: observed.refs,
  /** Why `refs` is missing. */
  refs_unread: observed.refs_unread,
  /** The URL of the repository that the mirror's URL redirects to. */
  moved_to: observed.moved_to,
  /** Digits of a digest of each tag that only this mirror has and that is not held against it (compare.ts). */
  own_tags: tagDigits.optional(),
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
  content_code: observed.content_code,
  /** The package that is missing or has the wrong size. */
  content_file: observed.content_file,
  /** When the content became wrong or different. */
  content_since: timestamp.optional(),
  /** The last proof that the mirror serves what it lists: when, which commit, how many in a row failed or timed out. */
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

/** Content that the reference has had. */
const version = z.strictObject({
  value: revision,
  /** When a run first saw it. */
  since: timestamp,
  /** When the content was made. */
  date: timestamp.optional(),
  index: indexSchema.optional(),
  /** A mirror has copied it. Last, because it is added last, and equal states are stored as equal text. */
  taken: z.literal(true).optional(),
});

const keptIdIfAny = z.union([keptId, z.literal("")]);
/** When a ref appeared, moved or vanished: its name, and its id before and after, which is empty if there was none. */
const move = z.tuple([timestamp, refName, keptIdIfAny, keptIdIfAny]).readonly();

/** What servers said about a branch's commit, and the reference's commit then. Only "past" stays true once it moves. */
const answer = z.tuple([refName, keptId, z.enum(["past", "newer", "apart"]), keptId]).readonly();

/** A reference and its history. Lists are oldest first. */
export const reference = z.strictObject({
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
  refs_of: observed.refs,
  /** The moves of tags, which should neither move nor vanish. */
  rewritten: z.array(move).max(rewrittenKept).optional(),
  warnings: z.array(targetWarning).optional(),
  /** The files that all mirrors must have, if the content has no revision. */
  index: indexSchema.optional(),
});

export type NodeContent = Readonly<z.infer<typeof content>>;
export type Clock = NonNullable<NodeContent["behind"]>;
export type Reference = Readonly<z.infer<typeof reference>>;
export type Version = Reference["versions"][number];
export type Move = z.infer<typeof move>;
