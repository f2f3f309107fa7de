import * as z from "../base/zod.ts";
import { dayMs } from "../base/text/time.ts";

/** By default, such a mirror stays online. */
export const contentCodes = {
  missing_file: "A file that it should have is missing.",
  wrong_size: "A file has the wrong size: the copy is incomplete, or an error page is sent instead.",
  half_synced: "Its index lists content that it does not have: its last sync was interrupted.",
  expired: "Its index has expired: the mirror is no longer updated.",
  no_fetch: "It lists its branches, but does not serve them.",
} as const;

export type ContentCode = keyof typeof contentCodes;

export const contentCodeNames: readonly ContentCode[] = Object.keys(contentCodes).filter(
  (name): name is ContentCode => Object.hasOwn(contentCodes, name),
);

export const targetWarning = z.enum(["expired", "no_time", "too_long", "no_size", "no_file_sizes"]);

export type TargetWarning = z.infer<typeof targetWarning>;

/** What keeps the checks of a whole target from working, with the remedy. */
export const targetWarnings: Readonly<Record<TargetWarning, string>> = {
  expired:
    "The content of the reference has expired, so no mirror is blamed for that; publish a new release file, or tell apt not to check it (check-valid-until=no).",
  no_time:
    "No time is found where content.timestamp says, so nobody knows how old the mirrors are; correct its path, header, pointer, after or format.",
  too_long:
    'The content is longer than probe.maxBytes, so "sha256": "reference" compares nothing; raise maxBytes, or declare the size.',
  no_size:
    "The length of the file is unknown, so content.size is not compared; let the server send Content-Length, or remove size.",
  no_file_sizes:
    "The sizes of content.files are compared with nothing; set a primary whose server sends Content-Length and Last-Modified for them.",
};

/** With `freshness.offlineAfter`, a mirror that answers can be offline for these reasons. */
export const freshnessCodes = {
  behind: "Its content is older than the operator allows.",
  differs: "Its content differs from that of the reference.",
} as const;

const digestOf = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

/** At most this many files are stored for a reference. */
export const maxSamples = 16;

const seconds = z.int().min(0);

/** A file that mirrors are checked for. */
export const sampleFile = z.strictObject({
  /** Relative to the URL of the mirror. */
  path: z.string().regex(/^[!-~]{1,300}$/),
  size: z.int().min(0).exactOptional(),
  /** For files that can change under the same name: when the primary's was changed and last seen, in epoch seconds. */
  seen: z.strictObject({ changed: seconds, last: seconds }).exactOptional(),
});

export type SampleFile = Readonly<z.infer<typeof sampleFile>>;

/** What mirror lists and the probes of other mirrors need to know about the reference's content. */
export const indexSchema = z.strictObject({
  /** Size and digests of the file that a list describes. */
  size: z.int().min(0).exactOptional(),
  sha256: digestOf(64).exactOptional(),
  sha512: digestOf(128).exactOptional(),
  /** Files that every mirror with the same revision must have. */
  files: z.array(sampleFile).max(maxSamples).readonly().exactOptional(),
  /** How many runs have checked sample packages. Tells which packages are next. */
  turn: z.int().min(0).exactOptional(),
});

export type ContentIndex = Readonly<z.infer<typeof indexSchema>>;

/** Ignores a time before 1970 or more than a day after `now`, which must be a mistake. */
export function contentTime(at: number | undefined, now: number): string | undefined {
  return at !== undefined && at >= 0 && at <= now + dayMs ? new Date(at).toISOString() : undefined;
}
