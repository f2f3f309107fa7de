import * as z from "zod";
import { indexSchema } from "../kinds/content-index.ts";
import { refsPattern } from "../probe/observation.ts";
import { timestamp } from "./fields.ts";

/** An opaque text. For Git an object id or its first digits. */
export const revision = z.string().regex(/^[!-~]{1,200}$/);
/** The digest of refs. */
export const refsDigest = z.string().regex(refsPattern);
/** The first digits of the object id of a ref. */
const keptId = z.string().regex(/^[0-9a-f]{10}$/);

/** How many revisions of a reference are kept, and how many digests of its refs. */
export const revisionsKept = 8;
export const setsKept = 20;

/** A tag of a reference that moved, or vanished: then the second id is empty. Ids are cut. */
const rewrittenTag = z.tuple([timestamp, z.string().max(1000), keptId, z.union([keptId, z.literal("")])]);

/** How many rewritten tags of a reference are kept. */
export const rewrittenKept = 8;

/** The history of a reference. Times are epoch milliseconds. */
export const referenceSchema = z.strictObject({
  branch: z.string().max(1000),
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
  refs: z.record(z.string().max(1000), keptId).optional(),
  /** Since when the refs are known, and those that changed, appeared or vanished on the last day. */
  refs_since: timestamp.optional(),
  recent: z.record(z.string().max(1000), timestamp).optional(),
  /** What the refs are of: another primary or other patterns have another history. */
  refs_of: z.string().regex(refsPattern).optional(),
  /** The newest last. */
  rewritten: z.array(rewrittenTag).max(rewrittenKept).optional(),
});

export type RewrittenTag = z.infer<typeof rewrittenTag>;
export type Reference = Readonly<z.infer<typeof referenceSchema>>;
