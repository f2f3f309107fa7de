import { hash } from "node:crypto";
import { setMaxListeners } from "node:events";
import { asError } from "../base/errors.ts";
import { OutOfDescriptors, Stalled, withDeadline } from "../base/http/failure.ts";
import type { Transport } from "../base/http/transport.ts";
import { parseDuration } from "../base/text/duration.ts";
import { fingerprint, type Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import type { ProbeContext, VerifySignature } from "../kinds/kind.ts";
import { turnAt } from "../kinds/mirror-files.ts";
import { checkFamilies, type FamilyCheck } from "./families.ts";
import { controlUrl, probeControl } from "./control.ts";
import {
  type ControlObservation,
  type HostFamilies,
  type Observation,
  observationSchema,
  type ProbeProblem,
  type Results,
  type Shard,
} from "./observation.ts";
import { type ClockAndRandom, probeNode } from "./probe-node.ts";
import { RefSets } from "./ref-set.ts";
import { runAll } from "./schedule.ts";
import { StallMeter } from "./stall-meter.ts";

export interface ProbeRun {
  readonly run: string;
  readonly vantage: string;
  readonly shard: Shard;
  readonly prober: string;
  readonly transport: Transport;
  readonly clock: ClockAndRandom;
  readonly interrupt: AbortSignal;
  /** Nodes that timed out in the last run. They start first, so that the others run while they wait. */
  readonly silent?: ReadonlySet<number> | undefined;
  /** Nodes whose content was incomplete in the last run. */
  readonly incomplete?: ReadonlySet<number> | undefined;
  /**
   * By target place. If undefined, the index of a primary is not read, because nothing would remember it and each run
   * would have to read it again.
   */
  readonly references?: ReadonlyMap<string, NonNullable<ProbeContext["reference"]>> | undefined;
  /**
   * When each host's other address family was last checked, in epoch milliseconds. If undefined, no family is checked.
   */
  readonly familiesCheckedAt?: ReadonlyMap<string, number> | undefined;
  readonly verifySignature: VerifySignature;
  /** Called with each internal error. */
  readonly onProblem?: ((url: string, error: Error) => void) | undefined;
  readonly onProgress: (done: number) => void;
}

/**
 * After this time (or a quarter of the probe's timeout, if that is shorter), a probe counts as merely waiting, and
 * another one may start. If this value were smaller, a slow prober would start too many probes at once.
 */
const parkedAfterMs = 400;
const silentParkedAfterMs = 100;

/** A probe is repeated if the event loop stalled for this share of its time limit. */
const stalledShare = 0.25;

/**
 * The problem of a node whose probe was repeated after a stall, and got no answer because the event loop stalled again.
 */
export const stalledProblem = "Stalled";

interface ProbeTask {
  readonly id?: number;
  readonly url: string;
  readonly host: string;
  readonly timeoutMs: number;
  readonly wasSilent: boolean;
  readonly isDownload?: boolean | undefined;
  readonly probe: (signal: AbortSignal, transport: Transport) => Promise<Seen>;
}

type Seen = Observation | ControlObservation | FamilyCheck;

/**
 * Probes every control and every node of the shard once, within the configured limits, and repeats probes during which
 * the event loop stalled. A node gets no observation if its probe fails with an internal error, or if the event loop
 * stalls again during the second probe and no answer arrives. Rejects only if interrupted, with the signal's reason, or
 * with an internal error if nothing was observed.
 */
export async function probeAll(config: Config, nodes: readonly Node[], probeRun: ProbeRun): Promise<Results> {
  const { transport, clock, interrupt, familiesCheckedAt: checkedAt } = probeRun;
  const started = clock.now();
  const refSets = new RefSets();
  const own = inShard(nodes, probeRun.shard);
  const tasks = listTasks(config, own, probeRun, refSets);
  // Each open probe adds a listener, and Node.js would otherwise warn of a leak.
  setMaxListeners(0, interrupt);
  let done = 0;
  const observed = new Map<ProbeTask, Seen>();
  const repeated = new Set<ProbeTask>();
  const problems: ProbeProblem[] = [];
  const errors: Error[] = [];
  const fail = (id: number | undefined, name: string, error: Error): void => {
    errors.push(error);
    if (id !== undefined) problems.push({ id, error: name });
  };
  const stalls = new StallMeter(clock.now);
  let families: HostFamilies[] = [];

  const perform = async (task: ProbeTask, park: () => void): Promise<void> => {
    const { id, url, timeoutMs, wasSilent, isDownload, probe } = task;
    const parkAfterMs = wasSilent ? silentParkedAfterMs : parkedAfterMs;
    const connections = transport.keepingConnections();
    const parking = isDownload === true ? undefined : setTimeout(park, Math.min(parkAfterMs, timeoutMs / 4));
    const stalledMs = stalls.totalMs();
    try {
      const seen = await withDeadline(timeoutMs, interrupt, (signal) => probe(signal, connections));
      const hasStalled = stalls.totalMs() - stalledMs >= timeoutMs * stalledShare;
      if (hasStalled && !repeated.has(task)) {
        repeated.add(task);
        done -= 1;
      } else if (hasStalled && !("http_status" in seen)) {
        fail(id, stalledProblem, new Stalled());
      } else {
        observed.set(task, seen);
      }
    } catch (error) {
      if (error instanceof OutOfDescriptors) {
        // The scheduler starts the task again.
        done -= 1;
        throw error;
      }
      interrupt.throwIfAborted();
      const problem = asError(error);
      fail(id, problem.name, problem);
      probeRun.onProblem?.(url, problem);
    } finally {
      clearTimeout(parking);
      connections.close();
      done += 1;
      probeRun.onProgress(Math.min(done, tasks.length));
    }
  };
  try {
    await runAll(tasks, config.probe, perform, ({ wasSilent }) => wasSilent);
    await runAll([...repeated], config.probe, perform, ({ wasSilent }) => wasSilent);
    if (checkedAt !== undefined)
      families = await checkFamilies(own, transport, { checkedAt, now: clock.now() }, async (checks) => {
        await runAll(checks, config.probe, perform);
        return [...observed.values()].filter((one) => "host" in one);
      });
  } finally {
    stalls.stop();
  }
  if (observed.size === 0 && errors[0] !== undefined) throw errors[0];
  const inOrder = tasks.flatMap((task) => observed.get(task) ?? []);
  return {
    schema: 1,
    run: probeRun.run,
    vantage: probeRun.vantage,
    shard: probeRun.shard,
    config: fingerprint(nodes),
    prober: probeRun.prober,
    started_at: new Date(started).toISOString(),
    finished_at: new Date(clock.now()).toISOString(),
    controls: inOrder.filter((one) => "url" in one),
    observations: inOrder.filter((one) => "id" in one),
    ...(families.length > 0 && { families }),
    ...(problems.length > 0 && { problems: problems.sort((left, right) => left.id - right.id) }),
    ...(refSets.texts.size > 0 && { refs: Object.fromEntries(refSets.texts) }),
  };
}

function listTasks(
  { probe, site }: Config,
  nodes: readonly Node[],
  { clock, silent, incomplete, references, verifySignature }: ProbeRun,
  refSets: RefSets,
): ProbeTask[] {
  const { maxRedirects } = probe;
  const controls = probe.controls.map((control): ProbeTask => ({
    url: controlUrl(control),
    host: new URL(controlUrl(control)).host,
    timeoutMs: parseDuration(probe.timeout),
    wasSilent: false,
    probe: (signal, transport) => probeControl(signal, control, maxRedirects, transport, clock),
  }));
  const mirrors = nodes.map(({ id, url, host, settings, primary, place }): ProbeTask => ({
    id,
    url,
    host,
    timeoutMs: settings.timeoutMs,
    wasSilent: silent?.has(id) === true,
    isDownload: settings.isDownload,
    probe: async (signal, transport) => {
      const now = clock.now();
      const context = {
        verifySignature,
        isPrimary: primary && references !== undefined,
        wasIncomplete: incomplete?.has(id) === true,
        reference: references?.get(place),
        now,
        turn: turnAt(now, parseDuration(site.interval)),
      };
      const request = { ...settings, url, maxRedirects, context };
      const { refs, ...result } = await probeNode(signal, request, transport, clock);
      const observation = { id, ...result, refs: refs && refSets.add(refs) };
      // Throws if the results parser would reject a value. Otherwise one mirror could make results and state
      // unreadable.
      return observationSchema.parse(JSON.parse(JSON.stringify(observation)));
    },
  }));
  return [...controls, ...mirrors];
}

/** A node stays in its shard when other nodes come or go. */
export function inShard(nodes: readonly Node[], { index, count }: Shard): Node[] {
  const shardOf = (id: number): number => (hash("sha256", String(id), "buffer").readUInt32BE() % count) + 1;
  return nodes.filter(({ id }) => count === 1 || shardOf(id) === index);
}
