import * as z from "zod";

/**
 * What is known of the content of a target's reference: paths of files and digests. Lists, and the probes of other
 * mirrors, need that.
 */
export const indexSchema = z.strictObject({
  /** The size and the digests of the file that a list names, the digests in lower-case hexadecimal digits. */
  size: z.int().min(0).exactOptional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .exactOptional(),
  sha512: z
    .string()
    .regex(/^[0-9a-f]{128}$/)
    .exactOptional(),
  /** Files that a mirror of the same revision must have, relative to its URL. */
  files: z
    .array(z.string().regex(/^[!-~]{1,300}$/))
    .max(16)
    .readonly()
    .exactOptional(),
});

export type ContentIndex = Readonly<z.infer<typeof indexSchema>>;
