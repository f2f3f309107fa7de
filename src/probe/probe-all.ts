import { setMaxListeners } from "node:events";
import type { Config } from "../config/schema.ts";
import { fingerprint, type NetworkNode } from "../config/nodes.ts";
import { probeControl, controlUrl } from "./control.ts";
import { OutOfDescriptors } from "../http/failure.ts";
import type { ControlObservation, Observation, Results, Shard } from "./observation.ts";
import { withDeadline } from "./deadline.ts";
import { type ClockAndRandom, probeNode } from "./probe-node.ts";
import type { Transport } from "../http/transport.ts";
import { runAll } from "./schedule.ts";
import { inShard } from "./shard.ts";

/** Everything a run of probes needs besides what is probed. */
export interface ProbeRun {
  readonly run: string;
  readonly vantage: string;
  /** Which part of the nodes is probed: all of them where it is the only one. */
  readonly shard: Shard;
  readonly prober: string;
  readonly transport: Transport;
  readonly chance: ClockAndRandom;
  readonly interrupt: AbortSignal;
  /** The ids of the nodes that timed out in the last run. They start first, so that they overlap all others. */
  readonly silent?: ReadonlySet<number> | undefined;
  /** Called after each probe, with how many are done. */
  readonly onProgress: (done: number) => void;
}

/**
 * Most mirrors answer sooner. One that does not is waited for beside the others, after this or a quarter of its time:
 * sooner, and a slow prober would take its own slowness for theirs.
 */
const parkedAfterMs = 400;
/** A node that was silent in the last run is expected to be so again. */
const silentParkedAfterMs = 100;

/** A node or a control, and how it is asked. */
interface ProbeTask {
  readonly host: string;
  readonly origin: string;
  readonly timeoutMs: number;
  readonly wasSilent: boolean;
  readonly ask: (signal: AbortSignal) => Promise<Observation | ControlObservation>;
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
  const tasks = listTasks(config, inShard(nodes, probeRun.shard), probeRun);
  for (const { origin } of tasks) transport.hold(origin);
  // As many listeners as there are open probes are no leak.
  setMaxListeners(0, interrupt);
  let done = 0;

  const task = async ({ origin, timeoutMs, wasSilent, ask }: ProbeTask, park: () => void) => {
    const parkAfterMs = wasSilent ? silentParkedAfterMs : parkedAfterMs;
    const parking = setTimeout(park, Math.min(parkAfterMs, timeoutMs / 4));
    try {
      return await withDeadline(timeoutMs, interrupt, ask);
    } catch (error) {
      if (error instanceof OutOfDescriptors) {
        // It starts again: nothing of it is done.
        transport.closeIdle();
        transport.hold(origin);
        done -= 1;
      }
      throw error;
    } finally {
      clearTimeout(parking);
      transport.release(origin);
      done += 1;
      probeRun.onProgress(done);
    }
  };
  const answered = await runAll(tasks, config.probe, task, ({ wasSilent }) => wasSilent);
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

function listTasks(
  { probe }: Config,
  nodes: readonly NetworkNode[],
  { transport, chance, silent }: ProbeRun,
): ProbeTask[] {
  const { maxRedirects } = probe;
  const taskOf = (url: string, timeoutMs: number, ask: ProbeTask["ask"], wasSilent: boolean): ProbeTask => {
    const { host, origin } = new URL(url);
    return { host, origin, timeoutMs, wasSilent, ask };
  };
  return [
    ...probe.control.map((control) =>
      taskOf(
        controlUrl(control),
        probe.timeoutMs,
        (signal) => probeControl(signal, control, maxRedirects, transport, chance),
        false,
      ),
    ),
    ...nodes.map(({ id, url, settings }) =>
      taskOf(
        url,
        settings.timeoutMs,
        async (signal) => ({
          id,
          ...(await probeNode(signal, { ...settings, url, maxRedirects }, transport, chance)),
        }),
        silent?.has(id) === true,
      ),
    ),
  ];
}
