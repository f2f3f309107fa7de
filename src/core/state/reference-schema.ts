import * as z from "zod";
import { indexSchema } from "../kinds/mirror-content.ts";
import { keptId, keptIdIfAny, refName, refsDigest, revision, timestamp } from "./stored-values.ts";

export const versionsKept = 32;
export const movesKept = 64;
export const answersKept = 64;
export const rewrittenKept = 8;

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
  refs_of: refsDigest.optional(),
  rewritten: z.array(rewrittenTag).max(rewrittenKept).optional(),
});

export type Reference = Readonly<z.infer<typeof reference>>;
export type Version = Reference["versions"][number];
export type RewrittenTag = z.infer<typeof rewrittenTag>;
