import * as z from "zod";
import { type MirrorState, mirrorStates } from "../../contract/mirror-state.ts";
import { status } from "../../contract/network.ts";
import { code, count, id, timestamp } from "../../feed/fields.ts";

const runCounts = z.strictObject({
  ok: z.int().min(1).optional(),
  failed: z.int().min(1).optional(),
  unobserved: z.int().min(1).optional(),
});

const heartbeatNode = z.strictObject({
  id,
  status,
  today: runCounts.describe(
    "The runs of all vantages on this day in UTC, by result. Zero counts are absent.",
  ),
  last_24h: runCounts.describe("The same for this hour and the 23 before it."),
  code: code
    .optional()
    .describe(
      "This run's observation. It and the fields below are absent if the run did not observe the node.",
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

export const heartbeatSchema = z
  .strictObject({
    run: z.string(),
    generated_at: timestamp.describe("The end of the newest run."),
    expires_at: timestamp.describe("After this time, the statuses are too old to be trusted."),
    prober: z.strictObject({
      state: z
        .enum(["online", "offline"])
        .describe("offline: no mirror was ever reached, so every status is 0."),
      vantages: z.array(
        z.strictObject({
          vantage: z.string(),
          online: z.boolean().describe("Verdicts ignore a vantage that was offline."),
          missing_shards: z
            .array(z.int().min(1))
            .optional()
            .describe("The shards without results, or offline. Their nodes are unobserved."),
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
        waiting: count.describe("How many notifications are waiting to be sent."),
        failing: count.describe("How many of them have failed before."),
        dropped: count.describe("How many were given up in the last week."),
      })
      .optional()
      .describe("Absent if mirrors.json has no rules for notifications."),
    problems: z
      .array(z.strictObject({ id, vantage: z.string(), error: z.string() }))
      .optional()
      .describe(
        "The nodes that a vantage did not observe because mirrorfeed failed on their answer, with the name of the error. Please report it, except `Stalled`: the prober stalled during both probes.",
      ),
    totals: z
      .strictObject({ nodes: count, online: count, offline: count })
      .describe("The nodes by status, whatever their content."),
    state: z
      .enum(mirrorStates)
      .describe("The state of the feed: the worst among the best nodes of its targets."),
    states: z
      .strictObject({
        offline: count,
        wrong: count,
        differs: count,
        behind: count,
        maintenance: count,
        unknown: count,
        online: count,
      } satisfies Record<MirrorState, unknown>)
      .describe("The number of nodes in each state."),
    site_url: z
      .string()
      .optional()
      .describe(
        "The URL at which the feed is published (site.url), without a trailing slash. Copies elsewhere have it too.",
      ),
    nodes: z.array(heartbeatNode),
  })
  .meta({ title: "heartbeat" });
