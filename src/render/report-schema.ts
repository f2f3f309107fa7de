import * as z from "zod";
import { phases } from "../http/codes.ts";
import { codes, contentText } from "../kinds/kinds.ts";

const timestamp = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);
const id = z.int().min(1);
const status = z.literal([0, 1]).describe("1: online, reachable. 0: offline, unreachable.");
const code = z.enum(codes);

const heartbeatNode = z.strictObject({
  id,
  status,
  code: code
    .optional()
    .describe("What this run saw; left out, as what follows, where it did not observe it."),
  checked_at: timestamp.optional(),
  latency_ms: count.optional(),
  attempts: z.int().min(1).optional(),
  partial: z
    .literal(true)
    .optional()
    .describe("The mirror has more refs than are read, so only the first ones were checked."),
  votes: z
    .array(z.strictObject({ vantage: z.string(), code }))
    .optional()
    .describe("What each vantage saw, where those that were online do not agree."),
});

/** The heartbeat, which changes with every run. */
export const heartbeatSchema = z
  .strictObject({
    run: z.string(),
    generated_at: timestamp.describe("The end of the newest run."),
    expires_at: timestamp.describe("From here on the feed stands still, and its statuses prove nothing."),
    prober: z.strictObject({
      state: z
        .enum(["online", "offline"])
        .describe("offline: no mirror was ever reached, so every status is 0."),
      vantages: z.array(
        z.strictObject({
          vantage: z.string(),
          online: z.boolean().describe("One that was offline is left out of the verdicts."),
          missing_shards: z.array(z.int().min(1)).optional(),
        }),
      ),
    }),
    interval: z
      .strictObject({
        scheduled_minutes: z.int().min(1),
        median_seconds: count.optional(),
        p90_seconds: count.optional(),
      })
      .describe("How far apart runs are meant to be, and how far apart the last ones were."),
    totals: z.strictObject({ nodes: count, online: count, offline: count }),
    nodes: z.array(heartbeatNode),
  })
  .meta({ title: "heartbeat" });

const uptime = z.strictObject({
  ratio: z.number().min(0).max(1).optional().describe("Of the observations; left out where there are none."),
  coverage: z.number().min(0).max(1).describe("How much of the time was observed."),
});

const nodeReport = z.strictObject({
  id,
  name: z.string(),
  url: z.string(),
  status,
  code: code
    .optional()
    .describe("What brought the status; left out, as what follows, where nothing did yet."),
  sentence: z.string().optional(),
  since: timestamp.optional(),
  http_status: z.int().optional(),
  phase: z
    .string()
    .optional()
    .describe(
      `How far the request came that brought the status: ${phases.join(", ")}; left out if an answer did.`,
    ),
  cause: z
    .string()
    .optional()
    .describe("The code of the error that brought the status, such as CERT_HAS_EXPIRED."),
  unverified_since: timestamp
    .optional()
    .describe(
      "The time of the last evidence for its status, if that is 24 hours or more ago: since then it only answered that it is asked too often, or was not observed.",
    ),
  revision: z
    .string()
    .optional()
    .describe(`${contentText("revision")}, as it was seen last.`),
  branch: z
    .string()
    .optional()
    .describe(`${contentText("branch")}.`),
  freshness: z
    .enum(["in_sync", "behind", "differs", "unknown"])
    .describe(
      "How its revision stands to the reference; differs: ahead, diverged or set back; unknown: also if it never had what the reference has or had.",
    ),
  behind_since: timestamp.optional(),
  tls_expires_at: timestamp.optional(),
  maintenance: z.string().optional().describe("Why it is in maintenance, which keeps its status as it was."),
  uptime: z
    .strictObject({ "24h": uptime, "7d": uptime, "30d": uptime, "90d": uptime })
    .describe("Up to the last midnight in UTC."),
});

const days = z.strictObject({
  from: z.iso.date().describe("The day the first entries are of; the last ones are of yesterday."),
  ok: z.array(count),
  failed: z.array(count),
  unobserved: z.array(count),
  latency_ms: z.strictObject({
    mean: z.array(count.nullable()),
    min: z.array(count.nullable()),
    max: z.array(count.nullable()),
  }),
});

const transition = z.strictObject({
  at: timestamp,
  status,
  code,
  after_seconds: count.optional().describe("How long the status before it lasted, where that is known."),
});

const nodeHistory = nodeReport.extend({
  days: days.optional().describe("What was counted on each whole day, in UTC, up to 90 of them."),
  transitions: z.array(transition).describe("The last changes of its status, the newest first."),
});

const target = {
  target: z.string(),
  primary: id.optional().describe("The node the others are mirrors of."),
  reference: z
    .strictObject({ revision: z.string(), branch: z.string().optional(), since: timestamp })
    .optional()
    .describe("The revision the nodes are held against: its first 16 digits, and when it was first seen."),
};

/** A target with all that is remembered of its nodes. */
export const targetHistorySchema = z
  .strictObject({ ...target, network: z.array(nodeHistory) })
  .meta({ title: "target history" });

/** A project as its targets, without the days and transitions of their nodes. */
export const projectReportSchema = z
  .strictObject({
    project: z.string(),
    targets: z.array(z.strictObject({ ...target, network: z.array(nodeReport) })),
  })
  .meta({ title: "project report" });

export const systemReportSchema = z
  .strictObject({ system: z.string(), projects: z.array(projectReportSchema) })
  .meta({ title: "system report" });

/** A document is never changed once it is made. */
type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;

export type Heartbeat = Immutable<z.infer<typeof heartbeatSchema>>;
export type SystemReport = Immutable<z.infer<typeof systemReportSchema>>;
export type ProjectReport = Immutable<z.infer<typeof projectReportSchema>>;
export type TargetReport = ProjectReport["targets"][number];
export type TargetHistory = Immutable<z.infer<typeof targetHistorySchema>>;
export type NodeReport = TargetReport["network"][number];
export type NodeHistory = TargetHistory["network"][number];
