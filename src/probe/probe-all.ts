import { setMaxListeners } from "node:events";
import type { Config } from "../config/schema.ts";
import { fingerprint, type NetworkNode } from "../config/nodes.ts";
import { probeControl, controlUrl } from "./control.ts";
import { OutOfDescriptors } from "../http/failure.ts";
import type { ControlObservation, Observation, Results, Shard } from "./observation.ts";
import { withDeadline } from "./deadline.ts";
import { type ClockAndRandom, probeNode } from "./probe-node.ts";
import type { Transport } from "../http/transport.ts";
import type { ProbeContext } from "../kinds/kind.ts";
import { RefSets } from "./ref-sets.ts";
import { runAll } from "./schedule.ts";
import { inShard } from "./shard.ts";

/** What a run of probes needs beside the nodes. */
export interface ProbeRun {
  readonly run: string;
  readonly vantage: string;
  /** Which part of the nodes is probed. */
  readonly shard: Shard;
  readonly prober: string;
  readonly transport: Transport;
  readonly clock: ClockAndRandom;
  readonly interrupt: AbortSignal;
  /** The ids of the nodes that timed out in the last run. They start first, so that they wait beside all others. */
  readonly silent?: ReadonlySet<number> | undefined;
  /** The ids of the nodes that lacked a part of their content in the last run. */
  readonly incomplete?: ReadonlySet<number> | undefined;
  /**
   * What is known of the reference of each target, by its place. Without it, as in runs without a state, no primary gives an
   * index, since each of these runs would read it anew.
   */
  readonly references?: ReadonlyMap<string, NonNullable<ProbeContext["reference"]>> | undefined;
  /** Verifies signatures. Left out if no keyring is configured. */
  readonly isSigned?: ProbeContext["isSigned"] | undefined;
  /** Called after each probe with the number of finished ones. */
  readonly onProgress: (done: number) => void;
}

/**
 * After this time, or a quarter of its timeout, a probe only waits, and another one may start. Most mirrors answer sooner.
 * A smaller value would let a slow prober start too many probes at once.
 */
const parkedAfterMs = 400;
/** The same for a node that was silent in the last run, which is probably silent again. */
const silentParkedAfterMs = 100;

/** A node or a control, and how it is probed. */
interface ProbeTask {
  readonly host: string;
  readonly origin: string;
  readonly timeoutMs: number;
  readonly wasSilent: boolean;
  readonly probe: (signal: AbortSignal) => Promise<Observation | ControlObservation>;
}

/**
 * Probes every node of the shard and every control once, within the limits of the configuration in all and for each host.
 * A probe that only waits does not count. Returns the observations in the order of the nodes. Rejects only with the
 * reason of the interrupt, or with an internal error.
 */
export async function probeAll(
  config: Config,
  nodes: readonly NetworkNode[],
  probeRun: ProbeRun,
): Promise<Results> {
  const { transport, clock, interrupt } = probeRun;
  const started = clock.now();
  const refSets = new RefSets();
  const tasks = listTasks(config, inShard(nodes, probeRun.shard), probeRun, refSets);
  for (const { origin } of tasks) transport.hold(origin);
  // Each open probe has a listener.
  setMaxListeners(0, interrupt);
  let done = 0;

  const task = async ({ origin, timeoutMs, wasSilent, probe }: ProbeTask, park: () => void) => {
    const parkAfterMs = wasSilent ? silentParkedAfterMs : parkedAfterMs;
    const parking = setTimeout(park, Math.min(parkAfterMs, timeoutMs / 4));
    try {
      return await withDeadline(timeoutMs, interrupt, probe);
    } catch (error) {
      if (error instanceof OutOfDescriptors) {
        // The task starts again.
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
  const observed = await runAll(tasks, config.probe, task, ({ wasSilent }) => wasSilent);
  return {
    schema: 1,
    run: probeRun.run,
    vantage: probeRun.vantage,
    shard: probeRun.shard,
    config: fingerprint(nodes),
    prober: probeRun.prober,
    started_at: new Date(started).toISOString(),
    finished_at: new Date(clock.now()).toISOString(),
    controls: observed.filter((one) => "url" in one),
    observations: observed.filter((one) => "id" in one),
    ...(refSets.size > 0 && { refs: refSets.texts() }),
  };
}

function listTasks(
  { probe, site }: Config,
  nodes: readonly NetworkNode[],
  { transport, clock, silent, incomplete, references, isSigned }: ProbeRun,
  refSets: RefSets,
): ProbeTask[] {
  const { maxRedirects } = probe;
  const controls = probe.control.map((control): ProbeTask => ({
    ...placeOf(controlUrl(control)),
    timeoutMs: probe.timeoutMs,
    wasSilent: false,
    probe: (signal) => probeControl(signal, control, maxRedirects, transport, clock),
  }));
  const mirrors = nodes.map(({ id, url, settings, primary, place }): ProbeTask => ({
    ...placeOf(url),
    timeoutMs: settings.timeoutMs,
    wasSilent: silent?.has(id) === true,
    probe: async (signal) => {
      const now = clock.now();
      const context = {
        isPrimary: primary && references !== undefined,
        wasIncomplete: incomplete?.has(id) === true,
        reference: references?.get(place),
        now,
        turn: Math.floor(now / (site.intervalMinutes * 60_000)),
      };
      const request = { ...settings, url, maxRedirects, context, isSigned };
      const { refs, ...result } = await probeNode(signal, request, transport, clock);
      return { id, ...result, ...(refs !== undefined && { refs: refSets.add(refs) }) };
    },
  }));
  return [...controls, ...mirrors];
}

function placeOf(url: string): Pick<ProbeTask, "host" | "origin"> {
  const { host, origin } = new URL(url);
  return { host, origin };
}
