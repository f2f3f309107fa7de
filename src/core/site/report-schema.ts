import * as z from "../base/zod.ts";
import { phases } from "../base/http/codes.ts";
import { codes, contentText, kindNames } from "../kinds/kinds.ts";
import { targetWarning } from "../kinds/mirror-content.ts";
import { familyCode } from "../probe/observation.ts";
import { storedNode } from "../state/state-schema.ts";
import { mirrorStates } from "../verdict/mirror-state.ts";
import { status } from "../contract/network.ts";

// Schemas of fields that several documents share.

export const id = z.int().min(1);
export const count = z.int().min(0);
export const countIfAny = count.optional();
export const timestamp = z.iso.datetime({ precision: 3 });
export const timestampIfAny = timestamp.optional();
export const code = z.enum(codes);
export const codeIfAny = code.optional();

/** How many days have a minimum and a maximum latency. Older days have only a mean. */
export const latencyDays = 30;

const share = z.number().min(0).max(1).optional();
const uptime = z.strictObject({
  ratio: share.describe("The share of successful probes. Absent if nothing was observed."),
  coverage: share.describe("The share of the period that was observed. Absent if it is 1."),
});

const mirrorState = z
  .enum(mirrorStates)
  .describe(
    "The state of the node, the same on pages, in lists and in notifications. online: no known problem. wrong: its content is expired, half synced or incomplete (see content_code). maintenance: announced, so the status does not change. unknown: no run has found evidence yet.",
  );

const { shape: stored } = storedNode;
const text = z.string().optional();
const refNames = z.array(z.string()).max(5);

const nodeEvidence = z.strictObject({
  id,
  name: z.string(),
  url: z.string(),
  status,
  state: mirrorState,
  code: codeIfAny.describe("The reason for the status. Like `since`, absent before the first evidence."),
  sentence: text.describe("What the code means. Absent for `ok`."),
  since: timestampIfAny,
  http_status: z.int().optional(),
  phase: text.describe(
    `Where the request behind the status failed: ${phases.join(", ")}. Absent if there was a response.`,
  ),
  cause: text.describe("The error code behind the status, such as `CERT_HAS_EXPIRED`."),
  unverified_since: timestampIfAny.describe(
    "When there was last evidence for the status, if that was 24 hours ago or more. Since then, the node has been rate limited or not observed.",
  ),
  revision: text.describe(`${contentText("revision")}, as last observed.`),
  branch: text.describe(`${contentText("branch")}.`),
  moved_to: text.describe("git: the URL of the repository that this one redirects to, as after a renaming."),
  freshness: stored.freshness
    .unwrap()
    .describe(
      "How the content compares with the reference's. behind: the node lacks content; its state is `behind` only once that has lasted `freshness.grace`. differs: it has had content that the reference never had for `freshness.grace`, or it is incomplete. unknown: there is nothing to compare, such content is newer, or the node has not answered well for 24 hours.",
    ),
  last_freshness: stored.freshness.describe(
    "How the content compared when the node was last reached. Present only if the node is unreachable now.",
  ),
  behind_since: timestampIfAny.describe("Since when the reference has had content that the node lacks."),
  lag_seconds: countIfAny.describe(
    "How much older the content is than the reference's. Present only if both are dated.",
  ),
  content_at: timestampIfAny.describe("When the content was created."),
  content_code: codeIfAny.describe(
    "What is wrong with the content. It takes the node offline only if the operator configured that.",
  ),
  difference: z
    .strictObject({
      missing: count,
      extra: count,
      different: count,
      names: z.strictObject({ missing: refNames, extra: refNames, different: refNames }),
    })
    .optional()
    .describe(
      "How many refs the node lacks, has besides the reference's, or has with other values, with up to five names of each. Extra branches are not held against it.",
    ),
  refs_unread: stored.refs_unread.describe(
    "Why the refs were not compared individually: there are more than 2,000, or the last run could not read them.",
  ),
  kept_online: stored.kept_online.describe(
    "Why the node is online although its content would take it offline. last_reachable: no node of the target would be online otherwise. primary_alone: no other node has copied the content that this node lacks.",
  ),
  tls_expires_at: timestampIfAny,
  families: z
    .strictObject({ ipv4: familyCode.optional(), ipv6: familyCode.optional() })
    .optional()
    .describe(
      "Whether the host answers over IPv4 and over IPv6, checked in the last day: `ok`, or why no connection was made. Present only if the node is online and has both kinds of address, and a prober has both too. A family that was not checked is absent.",
    ),
  maintenance: text.describe(
    "The reason for the current maintenance, during which the status does not change.",
  ),
  notice: text.describe(
    "The name of an open notice of the operator that names the node: its page is `/incidents/{name}/`.",
  ),
  country: text.describe("The country, as a two-letter ISO 3166-1 code."),
  weight: z.int().min(1).optional().describe("The weight among equally good mirrors. If absent, 1."),
  uptime: z
    .strictObject({ "24h": uptime, "7d": uptime, "30d": uptime, "90d": uptime })
    .describe("Uptime as of the run that wrote this document, rounded to 0.01 %."),
  mean_latency_ms: countIfAny.describe(
    "The mean latency of the last seven whole days. Absent on the first day, and while the node is offline.",
  ),
});

/** Run-length encoded, since most days have as many runs as the day before. */
const runLengths = z.array(z.array(count).length(2));

const days = z.strictObject({
  from: z.iso.date().describe("The first day. The last day is yesterday."),
  ok: runLengths.describe(
    "Successful runs per day, run-length encoded, oldest first: [[48,30],[47,1]] means 30 days with 48 each, then one day with 47.",
  ),
  failed: runLengths.optional().describe("The same for failed runs. Absent if no run failed."),
  unobserved: runLengths
    .optional()
    .describe("The same for runs that did not observe the node. Absent if every run observed it."),
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
  sentence: text.describe("What the code means."),
  after_seconds: countIfAny.describe("How long the previous status lasted, if known."),
});

export const nodeHistory = nodeEvidence.extend({
  kind: z.enum(kindNames).describe("How the node is probed."),
  options: z
    .looseObject({})
    .optional()
    .describe(
      "The options of its kind from `mirrors.json`, without keyrings. If `content.size` is given, `content.sha256` is not verified. Absent if there are no options.",
    ),
  days: days.optional().describe("Daily counts for up to 90 whole days (UTC)."),
  transitions: z.array(transition).describe("The latest status changes, newest first."),
});

export const reference = z.strictObject({
  revision: z.string(),
  branch: z.string().optional(),
  since: timestamp,
  content_at: timestampIfAny,
  refs: countIfAny.describe("How many refs are compared."),
  rewritten: z
    .array(z.strictObject({ at: timestamp, tag: z.string(), from: z.string(), to: z.string().optional() }))
    .optional()
    .describe("Tags that recently moved or vanished, newest first. A tag without `to` vanished."),
});

const target = {
  target: z.string(),
  primary: id.optional().describe("The id of the node that the target's other nodes copy."),
  reference: reference
    .optional()
    .describe("What the nodes are compared with: the revision, and when it was first observed."),
  warnings: z
    .array(z.strictObject({ code: targetWarning, sentence: z.string() }))
    .optional()
    .describe("What keeps the target's checks from working, with the remedy."),
};

export const targetHistorySchema = z
  .strictObject({ ...target, network: z.array(nodeHistory) })
  .meta({ title: "target history" });

/** The fields that a table of a project's mirrors needs. */
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
  .extend({ uptime: z.strictObject({ "90d": uptime }) });

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
            state: mirrorState.describe("The best state of its nodes."),
            nodes: count,
            online: count.describe("How many nodes have status 1, whatever their content."),
          }),
        ),
      }),
    ),
  })
  .meta({ title: "system report" });
