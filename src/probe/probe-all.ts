import type { Config } from "../config/schema.ts";
import { fingerprint, type NetworkNode } from "../config/nodes.ts";
import { Deadline } from "./deadline.ts";
import type { Results, Shard } from "./observation.ts";
import { type Chance, probeNode, type Question } from "./probe-node.ts";
import type { Transport } from "./request.ts";
import { doAll } from "./schedule.ts";
import { inShard } from "./shard.ts";

/** Everything a run of probes needs besides what is probed. */
export interface ProbeRun {
  readonly run: string;
  readonly vantage: string;
  /** Which part of the nodes is probed: all of them where it is the only one. */
  readonly shard: Shard;
  readonly prober: string;
  readonly transport: Transport;
  readonly chance: Chance;
  readonly interrupt: AbortSignal;
  /** Called after each probe, with how many are done. */
  readonly onProgress: (done: number) => void;
}

/**
 * Most mirrors answer sooner. One that does not is waited for beside the others, after this or a quarter of its time:
 * sooner, and a slow prober would take its own slowness for theirs.
 */
const parkedAfterMs = 400;

/** What is asked of a node, or of a control, which has no id. */
interface Asked {
  readonly id: number | undefined;
  readonly url: string;
  readonly host: string;
  readonly origin: string;
  readonly settings: Omit<Question, "url" | "maxRedirects">;
}

/**
 * Probes every node of the shard and asks every control once, no more at a time than the configuration says, in all
 * and of one host: a probe that only waits does not count. The observations come in the order of the nodes. Rejects
 * only with the reason of the interrupt, or with a fault of ours.
 */
export async function probeAll(
  config: Config,
  nodes: readonly NetworkNode[],
  probeRun: ProbeRun,
): Promise<Results> {
  const { transport, chance, interrupt } = probeRun;
  const { maxRedirects } = config.probe;
  const started = chance.now();
  const asked = listAsked(config, inShard(nodes, probeRun.shard));
  for (const { origin } of asked) transport.hold(origin);
  const deadlines = new Set<Deadline>();
  const end = (): void => {
    for (const deadline of deadlines) deadline.abort(interrupt.reason);
  };
  let done = 0;
  // One listener for all: each of a thousand would be searched for among the others.
  interrupt.addEventListener("abort", end);

  const answered = await doAll(asked, config.probe, async ({ id, url, origin, settings }, park) => {
    interrupt.throwIfAborted();
    const { timeoutMs } = settings;
    const deadline = new Deadline(timeoutMs);
    const parking = setTimeout(park, Math.min(parkedAfterMs, timeoutMs / 4));
    deadlines.add(deadline);
    try {
      const finding = await probeNode(deadline, { ...settings, url, maxRedirects }, transport, chance);
      return id === undefined ? { url, ...finding } : { id, ...finding };
    } finally {
      clearTimeout(parking);
      deadlines.delete(deadline);
      transport.release(origin);
      done += 1;
      probeRun.onProgress(done);
    }
  }).finally(() => {
    interrupt.removeEventListener("abort", end);
  });
  return {
    schema: 1,
    run: probeRun.run,
    vantage: probeRun.vantage,
    shard: probeRun.shard,
    config: fingerprint(nodes),
    prober: probeRun.prober,
    started_at: new Date(started).toISOString(),
    finished_at: new Date(chance.now()).toISOString(),
    controls: answered.filter((answer) => "url" in answer),
    observations: answered.filter((answer) => "id" in answer),
  };
}

function listAsked({ probe }: Config, nodes: readonly NetworkNode[]): Asked[] {
  const http = { kind: "http", expectStatus: undefined, timeoutMs: probe.timeoutMs, attempts: 1 } as const;
  const asked = (url: string, settings: Asked["settings"], id?: number): Asked => {
    const { host, origin } = new URL(url);
    return { id, url, host, origin, settings };
  };
  return [
    ...probe.control.map((url) => asked(url, http)),
    ...nodes.map(({ id, url, settings }) => asked(url, settings, id)),
  ];
}
