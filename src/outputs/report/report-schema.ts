import * as z from "zod";
import { phases } from "../../base/http/codes.ts";
import { contentText, kindNames } from "../../kinds/kinds.ts";
import { mirrorStates } from "../../contract/mirror-state.ts";
import { status } from "../../contract/network.ts";
import { freshnesses } from "../../contract/rank.ts";
import { afterSeconds, code, familyCode, count, id, timestamp } from "../../feed/fields.ts";

/** How many days of a report have a minimum and a maximum latency. */
export const latencyDays = 30;

const share = z.number().min(0).max(1).optional();
const uptime = z.strictObject({
  ratio: share.describe("The share of good answers. Absent if there are none."),
  coverage: share.describe("The share of the time that was observed. Absent if all of it was."),
});

const mirrorState = z
  .enum(mirrorStates)
  .describe(
    "The state of the node, the same on pages, in lists and in notifications. online: nothing is known to be wrong with it. wrong: its content is expired, half synced or incomplete (content_code). maintenance: announced, and the status stays. unknown: no run has had evidence yet.",
  );

const refNames = z.array(z.string()).max(5);

const nodeEvidence = z.strictObject({
  id,
  name: z.string(),
  url: z.string(),
  status,
  state: mirrorState,
  code: code
    .optional()
    .describe("The reason for the status. It and the fields below are absent before the first evidence."),
  sentence: z.string().optional().describe("What the code means. Absent if it is ok."),
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
    .enum(freshnesses)
    .describe(
      "The comparison of the content with the reference. differs: ahead, diverged, set back or incomplete for a day. unknown: it is unreachable, there is nothing to compare, or the difference is younger than a day.",
    ),
  last_freshness: z
    .enum(freshnesses)
    .optional()
    .describe("How its content compared when it was last reached. Present only if it is unreachable now."),
  behind_since: timestamp.optional(),
  lag_seconds: count
    .optional()
    .describe("How much older its content is than the reference's, if both say when it was made."),
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
      "How many refs are missing, extra and different, compared with the reference, and the names of up to five of each.",
    ),
  refs_unread: z
    .enum(["too_many", "unread"])
    .optional()
    .describe(
      "Why its refs were not compared one by one: there are more than 2,000, or the last run could not read them.",
    ),
  kept_online: z
    .enum(["last_reachable", "primary_alone"])
    .optional()
    .describe(
      "Why it is online although its content would take it offline. last_reachable: no other node of its target is reachable. primary_alone: most other nodes agree with each other, and none has taken the content of the primary.",
    ),
  tls_expires_at: timestamp.optional(),
  families: z
    .strictObject({ ipv4: familyCode.optional(), ipv6: familyCode.optional() })
    .optional()
    .describe(
      "Whether its host answers over each family, by checks of the last day: ok, or why no connection was made. Present only if it has addresses of both, is online, and a prober has both. A family that was not checked is absent.",
    ),
  maintenance: z
    .string()
    .optional()
    .describe("The reason for a maintenance, during which the status stays unchanged."),
  country: z.string().optional().describe("Its country, as two letters of ISO 3166-1."),
  weight: z.int().min(1).optional().describe("Its weight among equally good mirrors. 1 if it is absent."),
  uptime: z
    .strictObject({ "24h": uptime, "7d": uptime, "30d": uptime, "90d": uptime })
    .describe("The share of good answers up to the run that wrote this document, rounded to 0.01 %."),
  mean_latency_ms: count
    .optional()
    .describe(
      "The mean latency of the last seven whole days. Absent on the first day, and while it is offline.",
    ),
});

/** Counts of days in a row, by their length: most days have as many runs as the one before. */
const runLengths = z.array(z.array(count).length(2));

const days = z.strictObject({
  from: z.iso.date().describe("The first day. The last day is yesterday."),
  ok: runLengths.describe(
    "Pairs of a count and the number of days in a row that have it, the oldest first: [[48,30],[47,1]] are 30 days with 48 good runs and one with 47.",
  ),
  failed: runLengths.optional().describe("The same for failed runs. Absent if no run failed."),
  unobserved: runLengths
    .optional()
    .describe("The same for runs that did not observe the node. Absent if every run did."),
  latency_ms: z.strictObject({
    mean: z.array(count.nullable()).describe("The mean of each day."),
    min: z.array(count.nullable()).max(latencyDays).describe(`The minima of the last ${latencyDays} days.`),
    max: z.array(count.nullable()).max(latencyDays).describe(`The maxima of the last ${latencyDays} days.`),
  }),
});

export const transition = z.strictObject({
  at: timestamp,
  status,
  code,
  sentence: z.string().optional().describe("What the code means."),
  after_seconds: afterSeconds,
});

export const nodeHistory = nodeEvidence.extend({
  kind: z.enum(kindNames).describe("How the node is probed."),
  options: z
    .looseObject({})
    .optional()
    .describe(
      "The options of its kind from `mirrors.json`, without keyrings. `content.sha256` with `content.size` is declared, not verified. Absent if there are none.",
    ),
  days: days.optional().describe("The counts of up to 90 whole days in UTC."),
  transitions: z.array(transition).describe("The last changes of the status, newest first."),
});

export const reference = z.strictObject({
  revision: z.string(),
  branch: z.string().optional(),
  since: timestamp,
  content_at: timestamp.optional(),
  refs: count.optional().describe("How many refs the nodes are compared with."),
  rewritten: z
    .array(z.strictObject({ at: timestamp, tag: z.string(), from: z.string(), to: z.string().optional() }))
    .optional()
    .describe("The last tags that moved, or vanished if `to` is absent, newest first."),
});

const target = {
  target: z.string(),
  primary: id.optional().describe("The id of the node that the others mirror."),
  reference: reference
    .optional()
    .describe(
      "The revision that the nodes are compared with: its first 16 digits, and when it was first observed.",
    ),
};

export const targetHistorySchema = z
  .strictObject({ ...target, network: z.array(nodeHistory) })
  .meta({ title: "target history" });

/** What the table of a project needs. */
export const nodeReport = nodeEvidence
  .pick({
    id: true,
    name: true,
    url: true,
    status: true,
    state: true,
    code: true,
    since: true,
    unverified_since: true,
    freshness: true,
    behind_since: true,
    content_code: true,
    tls_expires_at: true,
    maintenance: true,
    mean_latency_ms: true,
  })
  .extend({
    uptime: z.strictObject({ "90d": uptime }),
  });

export const projectReportSchema = z
  .strictObject({
    project: z.string(),
    targets: z.array(z.strictObject({ ...target, network: z.array(nodeReport) })),
  })
  .meta({ title: "project report" });

export const systemReportSchema = z
  .strictObject({
    system: z.string(),
    projects: z.array(
      z.strictObject({
        project: z.string(),
        targets: z.array(
          z.strictObject({
            target: z.string(),
            state: mirrorState.describe("The state of its best node."),
            nodes: count,
            online: count.describe("How many nodes have the status 1, whatever their content."),
          }),
        ),
      }),
    ),
  })
  .meta({ title: "system report" });
