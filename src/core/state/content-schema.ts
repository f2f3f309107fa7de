import * as z from "zod";
import { maxRefs } from "../kinds/git-refs.ts";
import { freshnesses } from "../verdict/rank.ts";
import { code, refName, refsDigest, revision, timestamp } from "./stored-values.ts";

/** Ref names in each of the lists of missing, extra and different refs. */
export const namesKept = 5;

const count = z.int().min(1).max(1000);

const refNames = z.array(refName).max(namesKept);
const refCount = z
  .int()
  .min(0)
  .max(2 * maxRefs);

/**
 * When a mirror began to lack something or to be apart, the ref by which it does, and the mirror's value of that ref
 * (empty if the mirror lacks the ref).
 */
const clock = z.tuple([timestamp, refName, z.union([revision, z.literal("")])]).readonly();

/** What is known about a mirror's content and certificate. */
export const content = z.strictObject({
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

export type NodeContent = Readonly<z.infer<typeof content>>;
export type Clock = NonNullable<NodeContent["behind"]>;
