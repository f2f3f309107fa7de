import type { Config } from "../config/schema.ts";
import { fingerprint, type NetworkNode } from "../config/nodes.ts";
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

/** A question, of a node or of a control, which has no id. */
interface Asked {
  readonly id: number | undefined;
  readonly question: Question;
  readonly host: string;
  readonly origin: string;
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
  const started = chance.now();
  const asked = listQuestions(config, inShard(nodes, probeRun.shard));
  for (const { origin } of asked) transport.hold(origin);
  let done = 0;
  const endings = new Set<AbortController>();
  const end = (): void => {
    for (const ending of endings) ending.abort(interrupt.reason);
  };
  // One listener for all probes: each would keep those after it in memory, as links of a chain.
  interrupt.addEventListener("abort", end);

  const answered = await doAll(asked, config.probe, async ({ id, question, origin }, park) => {
    interrupt.throwIfAborted();
    const ending = new AbortController();
    endings.add(ending);
    try {
      return { id, url: question.url, finding: await probeNode(question, transport, chance, ending, park) };
    } finally {
      endings.delete(ending);
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
    controls: answered.flatMap(({ id, url, finding }) => (id === undefined ? [{ url, ...finding }] : [])),
    observations: answered.flatMap(({ id, finding }) => (id === undefined ? [] : [{ id, ...finding }])),
  };
}

function listQuestions({ probe }: Config, nodes: readonly NetworkNode[]): Asked[] {
  const { control, timeoutMs, maxRedirects } = probe;
  const http = { kind: "http", expectStatus: undefined, timeoutMs, attempts: 1, maxRedirects } as const;
  const place = (question: Question, id?: number): Asked => {
    const { host, origin } = new URL(question.url);
    return { id, question, host, origin };
  };
  return [
    ...control.map((url) => place({ ...http, url })),
    ...nodes.map(({ id, url, settings }) => place({ ...settings, url, maxRedirects }, id)),
  ];
}
