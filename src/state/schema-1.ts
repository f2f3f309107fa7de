import * as z from "zod";
import { vantagePattern } from "../probe/vantage.ts";
import { nodeId, packed, runs, status, timestamp } from "./fields.ts";
import { mapValues } from "./map-values.ts";
import { codes } from "../kinds/kinds.ts";

const code = z.enum(codes);
const codeOrNone = z.union([code, z.literal("")]);

/** status, since, code, http_status, streak, transitions, revision, branch, tls_expires_at. 0 and "" mean unknown. */
const node = z.tuple([
  status,
  timestamp,
  codeOrNone,
  z.int().min(0).max(999),
  z.int().min(0).max(1000),
  z.array(z.tuple([timestamp, status, code])).max(8),
  z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/),
  z.string().max(1000),
  timestamp,
]);

const schema1 = z.strictObject({
  schema: z.literal(1),
  runs,
  nodes: z.record(nodeId, node),
  references: z.record(
    z.string().max(400),
    z.strictObject({
      branch: z.string().max(1000),
      revisions: z.array(z.tuple([z.string().regex(/^[0-9a-f]{16}$/), timestamp])).max(8),
    }),
  ),
  vantages: z.record(
    z.string().regex(vantagePattern),
    z.strictObject({ at: timestamp, nodes: z.record(nodeId, z.tuple([codeOrNone, packed, packed])) }),
  ),
});

/**
 * Parses a document of schema 1 into one of schema 2, which names its fields. Unknown fields are left out. So is the
 * digest of a node's URL, which the next run adds.
 */
export const fromSchema1 = schema1.transform(({ runs, nodes, references, vantages }): unknown => ({
  schema: 2,
  runs,
  nodes: mapValues(nodes, named),
  references,
  vantages: mapValues(vantages, ({ at, nodes: tallies }) => ({
    times: [at],
    nodes: mapValues(tallies, ([last, hours, days]) => ({
      code: last || undefined,
      hours: repacked(hours),
      days: repacked(days),
    })),
  })),
}));

function named([own, since, cause, http, streak, transitions, revision, branch, tls]: z.infer<
  typeof node
>): object {
  return {
    status: own,
    since,
    code: cause || undefined,
    http_status: http || undefined,
    streak: streak || undefined,
    transitions,
    revision: revision || undefined,
    branch: revision === "" ? undefined : branch,
    tls_expires_at: tls || undefined,
  };
}

/** Replaces `latencySum.latencyMin.latencyMax` of schema 1 by `excess.min.range` of schema 2. */
function repacked(packed: string): string {
  return packed.replaceAll(
    /([0-9a-z]+)(\.[0-9a-z]+\.[0-9a-z]+)\.([0-9a-z]+)\.([0-9a-z]+)\.([0-9a-z]+)/g,
    (_, ok: string, others: string, ...latency: string[]) => {
      const [count = 0, sum = 0, min = 0, max = 0] = [ok, ...latency.slice(0, 3)].map((number) =>
        Number.parseInt(number, 36),
      );
      const numbers = [Math.max(0, sum - count * min), min, Math.max(0, max - min)];
      return [ok + others, ...numbers.map((number) => number.toString(36))].join(".");
    },
  );
}
