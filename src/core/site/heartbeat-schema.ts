import * as z from "../base/zod.ts";
import { mirrorStates } from "../verdict/mirror-state.ts";
import { status } from "../contract/network.ts";
import { code, codeIfAny, count, countIfAny, id, timestamp, timestampIfAny } from "./report-schema.ts";

const runs = z.int().min(1).optional();
const runCounts = z.strictObject({ ok: runs, failed: runs, unobserved: runs });

const heartbeatNode = z.strictObject({
  id,
  status,
  today: runCounts.describe(
    "Today's runs (UTC) by result, counted over all vantages. Zero counts are absent.",
  ),
  last_24h: runCounts.describe("The same for the current hour and the 23 before it."),
  code: codeIfAny.describe(
    "What this run observed. This field and those below are absent if the run did not observe the node.",
  ),
  checked_at: timestampIfAny,
  latency_ms: countIfAny,
  attempts: z.int().min(1).optional(),
  partial: z
    .literal(true)
    .optional()
    .describe("The mirror has too many refs to read them all, so only the first ones were checked."),
  votes: z
    .array(z.strictObject({ vantage: z.string(), code }))
    .optional()
    .describe("What each online vantage observed. Present only if they disagree."),
});

export const heartbeatSchema = z
  .strictObject({
    run: z.string(),
    generated_at: timestamp.describe("When the last run ended."),
    expires_at: timestamp.describe("After this time, the statuses are too old to be trusted."),
    prober: z.strictObject({
      state: z
        .enum(["online", "offline"])
        .describe("offline: no mirror was ever reached, so every status is 0."),
      vantages: z.array(
        z.strictObject({
          vantage: z.string(),
          online: z.boolean().describe("If false, verdicts ignore this vantage."),
          missing_shards: z
            .array(z.int().min(1))
            .optional()
            .describe("Shards that were offline or delivered no results. Their nodes are unobserved."),
        }),
      ),
    }),
    interval: z
      .strictObject({
        scheduled_minutes: z.int().min(1),
        median_seconds: countIfAny,
        p90_seconds: countIfAny,
      })
      .describe("The interval between runs, as scheduled and as measured."),
    notifications: z
      .strictObject({
        waiting: count.describe("How many notifications are waiting to be sent."),
        failing: count.describe("How many of those wait because their channel failed."),
      })
      .optional()
      .describe("Absent if mirrors.json has no notification rules."),
    problems: z
      .array(z.strictObject({ id, vantage: z.string(), error: z.string() }))
      .optional()
      .describe(
        "Nodes that a vantage could not observe because mirrorfeed itself failed, with the name of the error. Please report these errors, except `Stalled`, which means that the prober's machine was suspended or too busy during both the probe and its retry.",
      ),
    totals: z
      .strictObject({ nodes: count, online: count, offline: count })
      .describe("How many nodes have each status, whatever their content."),
    state: z
      .enum(mirrorStates)
      .describe(
        "The worst state of a target that needs attention, or else the best state of a target. A target's state is the best of its nodes'.",
      ),
    states: z
      .strictObject(Object.fromEntries(mirrorStates.map((state) => [state, count])))
      .describe("The number of nodes in each state."),
    site_url: z
      .string()
      .optional()
      .describe(
        "Where the feed is published (site.url), without a trailing slash. Copies of the feed elsewhere have the same value.",
      ),
    nodes: z.array(heartbeatNode),
  })
  .meta({ title: "heartbeat" });
