import * as z from "../base/zod.ts";
import { indexSchema, sampleFile, targetWarning } from "../kinds/mirror-content.ts";
import { runIdPattern, vantagePattern } from "../base/text/name.ts";
import { repositoryPattern } from "../kinds/git.ts";
import { isBranchName } from "../kinds/git-refs.ts";
import { codePattern } from "../kinds/kinds.ts";

/** The last timestamp with a four-digit year. */
export const latestTimestamp = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** The latest valid time of a run. It leaves room for timestamps after the run. */
export const latestRun = Date.UTC(9999, 0, 1);

function timestampUntil(latest: number) {
  return z.iso.datetime().refine((text) => Date.parse(text) >= 0 && Date.parse(text) <= latest, {
    error: `must be a time from 1970 to ${new Date(latest).getUTCFullYear()}`,
  });
}

function matching(pattern: RegExp) {
  return z.string().regex(pattern);
}

const timestamp = timestampUntil(latestRun);
const refsDigest = matching(/^[0-9a-f]{16}$/);

const evidence = {
  /** A code that this version does not know is not evidence. */
  code: matching(codePattern),
  http_status: z.int().min(100).max(999).optional(),
  /** Milliseconds from the start of the last attempt to the byte that decided its code. */
  latency_ms: z.int().min(0).optional(),
  attempts: z.int().min(1).max(100),
  checked_at: timestamp,
  phase: matching(/^[a-z]{1,20}$/).optional(),
  cause: matching(/^[A-Z][A-Z0-9_]{0,63}$/).optional(),
  /** The error's message. Only results files keep it, because it may contain addresses and differ in every run. */
  cause_text: z.string().max(2000).optional(),
  /** A certificate without an expiry date ends in 9999 (RFC 5280, 4.1.2.5). */
  tls_expires_at: timestampUntil(latestTimestamp).optional(),
};

export const observationSchema = z.strictObject({
  id: z.int().min(1),
  ...evidence,
  /** Opaque text. */
  revision: matching(/^[!-~]{1,64}$/).optional(),
  branch: z.string().refine(isBranchName).optional(),
  /** The response is longer than `maxBytes`, and the part that was read is valid. */
  partial: z.literal(true).optional(),
  moved_to: matching(repositoryPattern).optional(),
  refs: refsDigest.optional(),
  refs_unread: z.enum(["too_many", "unread"]).optional(),
  content_at: timestamp.optional(),
  content_code: matching(codePattern).optional(),
  content_file: sampleFile.optional(),
  unchecked: z.array(targetWarning).readonly().optional(),
  index: indexSchema.optional(),
  /** Whether a Git server served its `revision`. Missing if it was not asked, or if its answer proves nothing. */
  fetched: z.enum(["ok", "failed", "timeout"]).optional(),
});

const objectId = matching(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

/** What Git servers said about a commit. A missing key means that they were not asked, or did not answer. */
const ancestry = z.strictObject({
  /** Whether the reference's history reaches this commit. */
  past: z.boolean().optional(),
  /** The reference's former and current commits that this commit's history reaches. */
  contains: z.array(objectId).max(64).optional(),
});

const controlAnswer = z.strictObject({
  url: z.string(),
  text: z.string().optional(),
  proof: z.enum(["tls", "text", "none"]),
  ...evidence,
});

const problem = z.strictObject({
  id: z.int().min(1),
  /** The name of the error, such as `RangeError`. The message may quote the response, so it is only logged. */
  error: matching(/^[$\w]{1,64}$/),
});

/** The result for one family of a host: `ok` means a connection, with TLS for HTTPS. */
export const familyCode = z.enum(["ok", "refused", "unreachable", "reset", "timeout", "tls"]);
export const families = ["ipv4", "ipv6"] as const;

/** A host with addresses of both families. A family that was not observed is missing. */
const hostFamilies = z.strictObject({
  host: z.string().min(1).max(2000),
  ipv4: familyCode.optional(),
  ipv6: familyCode.optional(),
});

/** The results file of a run, which `mirrorfeed build` reads. */
export const resultsSchema = z.strictObject({
  schema: z.literal(1),
  run: matching(runIdPattern),
  vantage: matching(vantagePattern),
  shard: z.strictObject({ index: z.int().min(1).max(1000), count: z.int().min(1).max(1000) }),
  config: matching(/^[0-9a-f]{32}$/),
  prober: z.string().max(200),
  started_at: timestamp,
  finished_at: timestamp,
  controls: z.array(controlAnswer),
  observations: z.array(observationSchema),
  /** Nodes without an observation, because mirrorfeed failed on their answer or stalled during both probes. */
  problems: z.array(problem).optional(),
  families: z.array(hostFamilies).optional(),
  /** Observed refs by digest. Refs that would make the file too large are missing. */
  refs: z.record(refsDigest, z.string().max(2_500_000)).optional(),
  /** By target place, full name of a branch, and commit. */
  history: z
    .record(
      matching(/^[^/]+\/[^/]+\/[^/]+$/).max(400),
      z.record(matching(/^(?:HEAD|refs\/heads\/[^\0-\x20\x7f]{1,1000})$/), z.record(objectId, ancestry)),
    )
    .optional(),
});

export type Observation = z.infer<typeof observationSchema>;
export type ProbeProblem = z.infer<typeof problem>;
export type ControlObservation = z.infer<typeof controlAnswer>;
export type FamilyCode = z.infer<typeof familyCode>;
export type HostFamilies = Readonly<z.infer<typeof hostFamilies>>;
export type Shard = Results["shard"];
export type History = NonNullable<Results["history"]>;
export type Results = z.infer<typeof resultsSchema>;

/** Returns the entry for a commit on a branch of a target. Adds it if it is missing. */
export function ancestryIn(history: History, place: string, branch: string, id: string) {
  return (((history[place] ??= {})[branch] ??= {})[id] ??= {});
}

/** Merges what Git servers said to several probers: `true` beats `false`, and lists are united. */
export function mergeHistories(histories: readonly History[]): History {
  const merged: History = {};
  for (const [place, branches] of histories.flatMap((history) => Object.entries(history)))
    for (const [branch, ids] of Object.entries(branches))
      for (const [id, { past, contains }] of Object.entries(ids)) {
        const entry = ancestryIn(merged, place, branch, id);
        if (past !== undefined) entry.past = past || entry.past === true;
        if (contains !== undefined) entry.contains = [...new Set([...(entry.contains ?? []), ...contains])];
      }
  return merged;
}
