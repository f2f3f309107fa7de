import * as z from "zod";
import { phases } from "../http/codes.ts";
import { codes, contentText } from "../kinds/kinds.ts";

const timestamp = z.iso.datetime({ precision: 3 });
const count = z.int().min(0);
const id = z.int().min(1);
const status = z.literal([0, 1]).describe("1: online, reachable. 0: offline, unreachable.");
const code = z.enum(codes);

const runCounts = z.strictObject({
  ok: z.int().min(1).optional(),
  failed: z.int().min(1).optional(),
  unobserved: z.int().min(1).optional(),
});

const heartbeatNode = z.strictObject({
  id,
  status,
  today: runCounts.describe(
    "The runs of this day in UTC by result, of all vantages. A count of zero is absent.",
  ),
  last_24h: runCounts.describe("The same for this hour and the 23 before it."),
  code: code
    .optional()
    .describe(
      "The observation of this run. It and the fields below are absent if the run did not observe the node.",
    ),
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
    .describe("The observation of each online vantage. Present only if they disagree."),
});

/** The heartbeat, which changes with every run. */
export const heartbeatSchema = z
  .strictObject({
    run: z.string(),
    generated_at: timestamp.describe("The end of the newest run."),
    expires_at: timestamp.describe("From this time on the statuses are too old to be trusted."),
    prober: z.strictObject({
      state: z
        .enum(["online", "offline"])
        .describe("offline: no mirror was ever reached, so every status is 0."),
      vantages: z.array(
        z.strictObject({
          vantage: z.string(),
          online: z.boolean().describe("Verdicts ignore a vantage that was offline."),
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
      .describe("The scheduled interval of runs, and the measured one."),
    notifications: z
      .strictObject({
        waiting: count.describe("How many messages wait to be sent."),
        failing: count.describe("How many of them have failed before."),
        dropped: count.describe("How many were given up in the last week."),
      })
      .optional()
      .describe("Absent if mirrors.json has no rules for messages."),
    totals: z.strictObject({ nodes: count, online: count, offline: count }),
    nodes: z.array(heartbeatNode),
  })
  .meta({ title: "heartbeat" });

const uptime = z.strictObject({
  ratio: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe("The share of successful observations. Absent if there are none."),
  coverage: z.number().min(0).max(1).describe("The share of the time that was observed."),
});

const refNames = z.array(z.string()).max(5);

const nodeReport = z.strictObject({
  id,
  name: z.string(),
  url: z.string(),
  status,
  code: code
    .optional()
    .describe("The reason of the status. It and the fields below are absent before the first evidence."),
  sentence: z.string().optional(),
  since: timestamp.optional(),
  http_status: z.int().optional(),
  phase: z
    .string()
    .optional()
    .describe(
      `The phase in which the request behind the status failed: ${phases.join(", ")}. Absent if there was a response.`,
    ),
  cause: z.string().optional().describe("The code of the error behind the status, such as CERT_HAS_EXPIRED."),
  unverified_since: timestamp
    .optional()
    .describe(
      "The time of the last evidence for the status, if that is 24 hours or more ago. Since then the node was rate limited or not observed.",
    ),
  revision: z
    .string()
    .optional()
    .describe(`${contentText("revision")}, as last observed.`),
  branch: z
    .string()
    .optional()
    .describe(`${contentText("branch")}.`),
  freshness: z
    .enum(["in_sync", "behind", "differs", "unknown"])
    .describe(
      "The comparison of the content with the reference. differs: ahead, diverged, set back or incomplete for a day. unknown: there is nothing to compare, or the difference is younger than a day.",
    ),
  behind_since: timestamp.optional(),
  lag_seconds: count
    .optional()
    .describe("How much older than that of the reference its content is, if both say when it was made."),
  content_at: timestamp.optional().describe("When its content was made."),
  content_code: code
    .optional()
    .describe("What is wrong with its content. The status stays, unless the operator decided otherwise."),
  difference: z
    .strictObject({
      missing: count,
      extra: count,
      different: count,
      names: z.strictObject({ missing: refNames, extra: refNames, different: refNames }),
    })
    .optional()
    .describe(
      "How many refs of the reference it lacks, has beside them, and has with another object, and the names of the first five of each.",
    ),
  refs_unread: z
    .enum(["too_many", "unread"])
    .optional()
    .describe("Why HEAD alone was compared: more than 2,000 refs, or their list could not be read."),
  last_reachable: z
    .literal(true)
    .optional()
    .describe("Its content would make it offline, but no other node of its target is reachable."),
  tls_expires_at: timestamp.optional(),
  maintenance: z
    .string()
    .optional()
    .describe("The reason of a maintenance, during which the status stays unchanged."),
  country: z.string().optional().describe("Where it is: two letters of ISO 3166-1."),
  weight: z
    .int()
    .min(1)
    .optional()
    .describe("Its share of the draws among equally good mirrors. 1 if it is absent."),
  uptime: z
    .strictObject({ "24h": uptime, "7d": uptime, "30d": uptime, "90d": uptime })
    .describe("The uptime up to the last midnight in UTC."),
});

const days = z.strictObject({
  from: z.iso.date().describe("The day of the first entries. The last entries are of yesterday."),
  ok: z.array(count),
  failed: z.array(count).optional().describe("Absent if no run failed."),
  unobserved: z.array(count).optional().describe("Absent if every run observed the node."),
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
  sentence: z.string().optional().describe("What the code means."),
  after_seconds: count.optional().describe("How long the previous status lasted, if known."),
});

const nodeHistory = nodeReport.extend({
  days: days.optional().describe("The counts of up to 90 whole days in UTC."),
  transitions: z.array(transition).describe("The last changes of the status, newest first."),
});

const target = {
  target: z.string(),
  primary: id.optional().describe("The id of the node that the others mirror."),
  reference: z
    .strictObject({
      revision: z.string(),
      branch: z.string().optional(),
      since: timestamp,
      content_at: timestamp.optional(),
      refs: count.optional().describe("How many refs the nodes are compared with."),
      rewritten: z
        .array(
          z.strictObject({ at: timestamp, tag: z.string(), from: z.string(), to: z.string().optional() }),
        )
        .optional()
        .describe("The last tags that moved, or vanished if `to` is absent, newest first."),
    })
    .optional()
    .describe(
      "The revision that the nodes are compared with: its first 16 digits, and when it was first observed.",
    ),
};

/** A target with the days and the transitions of its nodes. */
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

/** A value whose fields are all read-only. */
type Immutable<Value> = Value extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Immutable<Value[Key]> }
    : Value;

export type RunCounts = Immutable<z.infer<typeof runCounts>>;
export type Heartbeat = Immutable<z.infer<typeof heartbeatSchema>>;
export type SystemReport = Immutable<z.infer<typeof systemReportSchema>>;
export type ProjectReport = Immutable<z.infer<typeof projectReportSchema>>;
export type TargetReport = ProjectReport["targets"][number];
export type TargetHistory = Immutable<z.infer<typeof targetHistorySchema>>;
export type NodeReport = TargetReport["network"][number];
export type NodeHistory = TargetHistory["network"][number];
