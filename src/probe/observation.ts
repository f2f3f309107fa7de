import * as z from "zod";
import { vantagePattern } from "./vantage.ts";
import { codePattern, phasePattern } from "../kinds/kinds.ts";

/** The last moment with a year of four digits, and the last a run may be of: what is reckoned from it must fit too. */
export const latestTimestamp = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
export const latestRun = Date.UTC(9999, 0, 1);

const timestamp = z.iso.datetime();
const runTimestamp = timestamp.refine((text) => Date.parse(text) <= latestRun, {
  error: "is after every run",
});
/** What a kind takes for a revision: printable ASCII, compared as it is. */
const revision = z.string().regex(/^[!-~]{1,200}$/);

const finding = {
  /** One that this version does not know, of results that another one wrote, is no evidence. */
  code: z.string().regex(codePattern),
  /** The HTTP status of the last answer, where there was one. */
  http_status: z.int().min(100).max(999).exactOptional(),
  /** From the start of the attempt that decided to its decisive byte, in milliseconds. */
  latency_ms: z.int().min(0).exactOptional(),
  attempts: z.int().min(1).max(100),
  checked_at: timestamp,
  /** How far the request came that failed, such as `connect`. Another version may know more phases. */
  phase: z.string().regex(phasePattern).exactOptional(),
  /** The code of the error behind a failure, such as `CERT_HAS_EXPIRED` or `HPE_INVALID_CONSTANT`. */
  cause: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,63}$/)
    .exactOptional(),
  /** The message of that error. It may hold addresses and change in every run, so results alone keep it. */
  cause_text: z.string().max(2000).exactOptional(),
  /** When the certificate that was shown expires. */
  tls_expires_at: timestamp.exactOptional(),
};

const observation = z.strictObject({
  id: z.int().min(1),
  ...finding,
  /** The revision of the content and its branch, if its kind has them. */
  revision: revision.exactOptional(),
  branch: z.string().max(1000).exactOptional(),
  /** The answer was longer than `maxBytes`, and the part that was read is right. */
  partial: z.literal(true).exactOptional(),
});

const controlAnswer = z.strictObject({
  url: z.string(),
  /** The text that the answer had to hold. */
  text: z.string().exactOptional(),
  /** What of the answer proves that the vantage was online. Results of mirrorfeed 0.1 have none of it. */
  proof: z.enum(["tls", "text", "none"]).exactOptional(),
  ...finding,
});

/** The results of one run, as a file: everything `mirrorfeed build` needs to decide and to render. */
export const resultsSchema = z.strictObject({
  schema: z.literal(1),
  run: z.string().min(1).max(200),
  /** The place the probes ran from, and which part of the nodes they were of. */
  vantage: z.string().regex(vantagePattern),
  shard: z.strictObject({ index: z.int().min(1).max(1000), count: z.int().min(1).max(1000) }),
  config: z.string().regex(/^[0-9a-f]{32}$/),
  prober: z.string().max(200),
  started_at: runTimestamp,
  finished_at: runTimestamp,
  controls: z.array(controlAnswer),
  observations: z.array(observation),
});

export type Observation = z.infer<typeof observation>;
export type ControlObservation = z.infer<typeof controlAnswer>;
export type Shard = Results["shard"];
export type Results = z.infer<typeof resultsSchema>;
