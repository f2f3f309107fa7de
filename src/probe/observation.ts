import * as z from "zod";
import { vantagePattern } from "./vantage.ts";

/** What one probe saw, as a code; `src/sentences.ts` has a sentence for each. */
export const codes = [
  "ok",
  "dns",
  "refused",
  "unreachable",
  "no_route",
  "reset",
  "timeout",
  "tls",
  "redirect",
  "http_status",
  "rate_limited",
  "auth",
  "not_http",
  "not_git",
  "too_large",
  "blocked_address",
] as const;

export type Code = (typeof codes)[number];

/** The last moment with a year of four digits, and the last a run may be of: what is reckoned from it must fit too. */
export const latestMoment = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
export const latestRun = Date.UTC(9999, 0, 1);

const moment = z.iso.datetime();
const runMoment = moment.refine((text) => Date.parse(text) <= latestRun, { error: "is after every run" });
const revision = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);

const finding = {
  code: z.enum(codes),
  /** The HTTP status of the last answer, where there was one. */
  http_status: z.int().min(100).max(999).exactOptional(),
  /** From the start of the attempt that decided to its decisive byte, in milliseconds. */
  latency_ms: z.int().min(0).exactOptional(),
  attempts: z.int().min(1).max(100),
  checked_at: moment,
  /** When the certificate that was shown expires. */
  tls_expires_at: moment.exactOptional(),
};

const observation = z.strictObject({
  id: z.int().min(1),
  ...finding,
  /** git: the object id of HEAD, and the branch it names. */
  revision: revision.exactOptional(),
  branch: z.string().max(1000).exactOptional(),
});

const controlAnswer = z.strictObject({ url: z.string(), ...finding });

/** The results of one run, as a file: everything `mirrorfeed build` needs to decide and to render. */
export const resultsSchema = z.strictObject({
  schema: z.literal(1),
  run: z.string().min(1).max(200),
  /** The place the probes ran from, and which part of the nodes they were of. */
  vantage: z.string().regex(vantagePattern),
  shard: z.strictObject({ index: z.int().min(1).max(1000), count: z.int().min(1).max(1000) }),
  config: z.string().regex(/^[0-9a-f]{32}$/),
  prober: z.string().max(200),
  started_at: runMoment,
  finished_at: runMoment,
  controls: z.array(controlAnswer),
  observations: z.array(observation),
});

export type Observation = z.infer<typeof observation>;
export type ControlAnswer = z.infer<typeof controlAnswer>;
export type Shard = Results["shard"];
export type Results = z.infer<typeof resultsSchema>;
