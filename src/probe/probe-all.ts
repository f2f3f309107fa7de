import { setMaxListeners } from "node:events";
import pLimit from "p-limit";
import type { Config } from "../config/schema.ts";
import { fingerprint, type NetworkNode } from "../config/nodes.ts";
import type { ControlAnswer, Observation, Results, Shard } from "./observation.ts";
import { type Chance, type Finding, probeNode, type Question } from "./probe-node.ts";
import type { Transport } from "./request.ts";
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
 * Probes every node of the shard and asks every control once, no more at a time than the configuration says, in all and of one
 * host. The observations come in the order of the nodes. Rejects only with the reason of the interrupt, or with a
 * fault of ours.
 */
export async function probeAll(
  config: Config,
  nodes: readonly NetworkNode[],
  probeRun: ProbeRun,
): Promise<Results> {
  const { transport, chance, interrupt } = probeRun;
  const { concurrency, perHost, maxRedirects, timeoutMs, control } = config.probe;
  const limit = pLimit(concurrency);
  const hosts = new Map<string, ReturnType<typeof pLimit>>();
  let done = 0;
  setMaxListeners(0, interrupt);

  const ask = async (question: Question): Promise<Finding> => {
    const { origin, host } = new URL(question.url);
    const hostLimit = hosts.get(host) ?? pLimit(perHost);
    hosts.set(host, hostLimit);
    transport.hold(origin);
    try {
      return await hostLimit(() => limit(() => probeNode(question, transport, chance, interrupt)));
    } finally {
      transport.release(origin);
      done += 1;
      probeRun.onProgress(done);
    }
  };

  const started = chance.now();
  const [controls, observations] = await Promise.all([
    Promise.all(
      control.map(async (url): Promise<ControlAnswer> => {
        const question = {
          kind: "http",
          url,
          expectStatus: undefined,
          timeoutMs,
          attempts: 1,
          maxRedirects,
        } as const;
        return { url, ...(await ask(question)) };
      }),
    ),
    Promise.all(
      inShard(nodes, probeRun.shard).map(async ({ id, url, settings }): Promise<Observation> => {
        return { id, ...(await ask({ ...settings, url, maxRedirects })) };
      }),
    ),
  ]);
  return {
    schema: 1,
    run: probeRun.run,
    vantage: probeRun.vantage,
    shard: probeRun.shard,
    config: fingerprint(nodes),
    prober: probeRun.prober,
    started_at: new Date(started).toISOString(),
    finished_at: new Date(chance.now()).toISOString(),
    controls,
    observations,
  };
}
