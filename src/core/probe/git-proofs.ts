import { hash } from "node:crypto";
import { ProbeFailure } from "../base/http/failure.ts";
import { type Transport, wholeAnswer } from "../base/http/transport.ts";
import { dayMs } from "../base/text/time.ts";
import { group } from "../base/text/group.ts";
import type { UploadPack } from "../kinds/git-advertisement.ts";
import { judgeProof, proofRequest } from "../kinds/git-questions.ts";
import type { GitMirror } from "./git-targets.ts";
import type { Observation } from "./observation.ts";
import type { Performer } from "./perform.ts";

type Fetched = Observation["fetched"];

/** The last proof that a mirror serves the commit that it lists. */
export interface KnownProof {
  /** In epoch milliseconds. */
  readonly at: number;
  /** The commit, or its first 16 hexadecimal digits. */
  readonly revision: string;
  /** How many proofs in a row have failed. */
  readonly failures: number;
}

export type ProofOf = (id: number) => KnownProof | undefined;

/**
 * Asks mirrors for the commit that they list, if that is due. Returns what was proved, by mirror. If most proofs of one
 * host fail, counting those that still hold, its failures are left out, because the host limits the prober.
 */
export async function proveFetches(
  mirrors: readonly GitMirror[],
  proofOf: ProofOf,
  now: number,
  performer: Performer,
): Promise<Map<number, Fetched>> {
  const tasks = dueProofs(mirrors, proofOf, now).map(
    ({ node: { id, url, host, settings }, uploadPack, revision }) => ({
      ...{ url, host, timeoutMs: settings.timeoutMs },
      probe: async (signal: AbortSignal, transport: Transport) =>
        [id, await prove(signal, transport, uploadPack, revision)] as const,
    }),
  );
  const performed = await performer.performAll(tasks);
  const proved = new Map(
    performed.flatMap(({ seen, hasStalled }) => (hasStalled && seen[1] !== "ok" ? [] : [seen])),
  );
  const proofs = mirrors.flatMap(({ node: { id, host } }) => {
    const isGood = proved.has(id) ? proved.get(id) === "ok" : proofOf(id)?.failures === 0;
    return isGood || proved.has(id) ? [[host, { id, isGood }] as const] : [];
  });
  for (const ofHost of group(proofs).values()) {
    const bad = ofHost.filter(({ isGood }) => !isGood);
    if (ofHost.length > 1 && bad.length * 2 > ofHost.length) for (const { id } of bad) proved.delete(id);
  }
  return proved;
}

const maxPerHost = 20;

/** Asked for if a protocol 2 server did not list its refs. Whoever answers that it lacks this commit answers well. */
const noCommit = "0".repeat(40);

/**
 * Returns the mirrors to ask: first those whose last proof failed, then those with a new commit, then those whose last
 * proof is the oldest. A proof holds for 24 to 30 hours, so that the mirrors of one host take turns.
 */
export function dueProofs(mirrors: readonly GitMirror[], proofOf: ProofOf, now: number) {
  const ranked = mirrors.flatMap((mirror) => {
    const { node, uploadPack } = mirror;
    const revision = mirror.revision ?? (uploadPack.version === 2 ? noCommit : undefined);
    if (revision === undefined) return [];
    const { at = 0, revision: proved, failures = 0 } = proofOf(node.id) ?? {};
    const isNew = proved === undefined || !revision.startsWith(proved);
    const holdsMs = dayMs * (1 + hash("sha256", String(node.id), "buffer").readUInt8() / 1024);
    const rank = failures > 0 ? 0 : isNew ? 1 : 2;
    return rank < 2 || now - at > holdsMs ? [{ mirror: { ...mirror, revision }, rank, at }] : [];
  });
  ranked.sort((one, other) => one.rank - other.rank || one.at - other.at);
  const byHost = group(ranked.map(({ mirror }) => [mirror.node.host, mirror] as const));
  return [...byHost.values()].flatMap((ofHost) => ofHost.slice(0, maxPerHost));
}

/** What a failed request proves about a server that has just listed its refs. */
const failures: Partial<Record<string, Fetched>> = {
  timeout: "timeout",
  reset: "timeout",
  not_http: "failed",
};

async function prove(signal: AbortSignal, transport: Transport, uploadPack: UploadPack, id: string) {
  transport.onStep?.({ step: "fetch", revision: id });
  let fetched: Fetched;
  try {
    const request = proofRequest(uploadPack, id);
    const answer = await transport.request(uploadPack.url, wholeAnswer, signal, request);
    fetched = judgeProof(answer, uploadPack, id);
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw error;
    fetched = failures[error.code];
  }
  transport.onStep?.({ step: "fetched", result: fetched });
  return fetched;
}
