import * as z from "zod";

/** What can be wrong with the content of a reachable mirror. By default it changes no status. */
export const contentCodes = {
  missing_file: "A file that its index names is missing.",
  wrong_size: "A file has the wrong size: its copy was cut off, or an error page is sent instead.",
  half_synced: "Its index names content that it does not have: its last copy was cut off.",
  expired: "Its index has expired: it is no longer updated.",
} as const;

export type ContentCode = keyof typeof contentCodes;

export const contentCodeNames: readonly ContentCode[] = Object.keys(contentCodes).filter(
  (name): name is ContentCode => Object.hasOwn(contentCodes, name),
);

/** Why a mirror that answers well is offline, if the operator decided so. */
export const freshnessCodes = {
  behind: "Its content is older than the operator allows.",
  differs: "Its content is not that of the reference.",
} as const;

const digestOf = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));

/** How many files are kept of a reference. */
export const maxSamples = 16;

const seconds = z.int().min(0);

/** A file that mirrors are asked for. */
const sampleFile = z.strictObject({
  /** Relative to the URL of the mirror. */
  path: z.string().regex(/^[!-~]{1,300}$/),
  size: z.int().min(0).exactOptional(),
  /**
   * When the primary's file of this size was changed and last seen, in epoch seconds, if its name may get other
   * content.
   */
  seen: z.strictObject({ changed: seconds, last: seconds }).exactOptional(),
});

export type SampleFile = Readonly<z.infer<typeof sampleFile>>;

/** What lists, and the probes of other mirrors, need to know of the content of a reference. */
export const indexSchema = z.strictObject({
  /** The size and the digests of the file that a list names. */
  size: z.int().min(0).exactOptional(),
  sha256: digestOf(64).exactOptional(),
  sha512: digestOf(128).exactOptional(),
  /** Files that a mirror of the same revision must have, relative to its URL. */
  files: z.array(sampleFile).max(maxSamples).readonly().exactOptional(),
});

export type ContentIndex = Readonly<z.infer<typeof indexSchema>>;

const dayMs = 86_400_000;

/** A time before 1970 or more than a day after `now` is a mistake, and proves nothing. */
export function contentTime(at: number | undefined, now: number): string | undefined {
  return at !== undefined && at >= 0 && at <= now + dayMs ? new Date(at).toISOString() : undefined;
}
