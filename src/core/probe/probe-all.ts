import { hash } from "node:crypto";
import { Stalled } from "../base/http/failure.ts";
import type { Transport } from "../base/http/transport.ts";
import { product } from "../base/files/package.ts";
import { parseDuration } from "../base/text/time.ts";
import { fingerprint, type Node } from "../config/nodes.ts";
import type { Config } from "../config/config-schema.ts";
import type { EarlierContent, KnownReference, VerifySignature } from "../kinds/kind.ts";
import { turnAt } from "../kinds/mirror-files.ts";
import { probeControl } from "./control.ts";
import { askHistory } from "./git-history.ts";
import { type Found, type HistoryOf, listGitMirrors, nothingFound, seeTargets } from "./git-targets.ts";
import { type ProofOf, proveFetches } from "./git-proofs.ts";
import {
  type ControlObservation,
  type HostFamilies,
  type Observation,
  observationSchema,
  type ProbeProblem,
  type Results,
  type Shard,
} from "./observation.ts";
import { openPerformer, type Performer, type ProbeTask } from "./perform.ts";
import { type ClockAndRandom, probeNode } from "./probe-node.ts";
import type { RefSet } from "./ref-set.ts";

export interface ProbeRun {
  readonly run: string;
  readonly vantage: string;
  readonly shard: Shard;
  readonly transport: Transport;
  readonly clock: ClockAndRandom;
  readonly interrupt: AbortSignal;
  /** Nodes that timed out in the last run. They start first, so that the others run while they wait. */
  readonly silent?: ReadonlySet<number> | undefined;
  readonly earlier?: ReadonlyMap<number, EarlierContent> | undefined;
  /** By target place. If undefined, no index of a primary is read, because nothing would remember it. */
  readonly references?: ReadonlyMap<string, Omit<KnownReference, "branch">> | undefined;
  /** What earlier runs know about Git mirrors. If undefined, everything is asked. */
  readonly git?: { readonly proofOf: ProofOf; readonly historyOf: HistoryOf } | undefined;
  /** Checks more of the hosts once their mirrors were probed. */
  readonly checkHosts?: CheckHosts | undefined;
  readonly verifySignature: VerifySignature;
  /** Called with each internal error. */
  readonly onProblem?: ((url: string, error: Error) => void) | undefined;
  readonly onProgress: (done: number) => void;
  /** Called with each observation at once, and again if a probe is repeated. */
  readonly onSeen?: ((seen: Observation, refs: RefSet | undefined) => void) | undefined;
}

/** `now` is in epoch milliseconds. `perform` performs tasks within the limits of the run. */
export type CheckHosts = (
  nodes: readonly Node[],
  transport: Transport,
  now: number,
  perform: <Seen>(tasks: readonly ProbeTask<Seen>[]) => Promise<Seen[]>,
) => Promise<HostFamilies[]>;

/** The problem of a node whose probe stalled, and again when it was repeated. */
export const stalledProblem = "Stalled";

type NodeTask = ProbeTask<Observation | ControlObservation>;

/**
 * Probes every control and every node of the shard, repeats probes during which the event loop stalled, and asks Git
 * servers about their commits. Rejects if interrupted, or with an internal error if nothing was observed.
 */
export async function probeAll(config: Config, nodes: readonly Node[], probeRun: ProbeRun): Promise<Results> {
  const { run, vantage, shard, transport, clock, interrupt } = probeRun;
  const started = clock.now();
  const found = nothingFound();
  const own = inShard(nodes, shard);
  const tasks: NodeTask[] = [...controlTasks(config, probeRun), ...nodeTasks(config, own, probeRun, found)];
  let done = 0;
  const problems: ProbeProblem[] = [];
  const errors: Error[] = [];
  const fail = (id: number | undefined, name: string, error: Error): void => {
    errors.push(error);
    if (id !== undefined) problems.push({ id, error: name });
  };
  const performer = openPerformer({
    ...{ limits: config.probe, transport, now: clock.now, interrupt },
    onDone: () => {
      done += 1;
      probeRun.onProgress(Math.min(done, tasks.length));
    },
    onError: ({ id, url }, error) => {
      fail(id, error.name, error);
      probeRun.onProblem?.(url, error);
    },
  });
  try {
    const seen = await probeTwice(tasks, performer, ({ id }) => {
      fail(id, stalledProblem, new Stalled(stalledTwice));
    });
    if (seen.length === 0 && errors[0] !== undefined) throw errors[0];
    const observed = seen.filter((one) => "id" in one);
    const asked = await askGit(config, { nodes, own }, observed, found, probeRun, performer);
    const families = await probeRun.checkHosts?.(own, transport, clock.now(), async (checks) =>
      (await performer.performAll(checks)).flatMap((check) => (check.hasStalled ? [] : [check.seen])),
    );
    return {
      schema: 1,
      ...{ run, vantage, shard, config: fingerprint(nodes) },
      prober: `mirrorfeed/${product.version}`,
      started_at: new Date(started).toISOString(),
      finished_at: new Date(clock.now()).toISOString(),
      controls: seen.filter((one) => "url" in one),
      observations: asked.observations,
      ...(families && families.length > 0 && { families }),
      ...(problems.length > 0 && { problems: problems.sort((left, right) => left.id - right.id) }),
      ...(found.refSets.kept.size > 0 && { refs: found.refSets.texts() }),
      ...(Object.keys(asked.history).length > 0 && { history: asked.history }),
    };
  } finally {
    performer.close();
  }
}

const stalledTwice =
  "This machine stalled twice during the probe, so nothing was observed; run it again when the machine is less busy.";

/** Repeats the tasks during which the event loop stalled. Calls `onStalled` if it stalls again and no answer arrives. */
async function probeTwice(
  tasks: readonly NodeTask[],
  performer: Performer,
  onStalled: (task: NodeTask) => void,
): Promise<(Observation | ControlObservation)[]> {
  const first = await performer.performAll(tasks);
  const stalled = first.flatMap(({ task, hasStalled }) => (hasStalled ? [task] : []));
  const second = new Map((await performer.performAll(stalled)).map((repeated) => [repeated.task, repeated]));
  return first.flatMap((performed) => {
    const last = performed.hasStalled ? second.get(performed.task) : performed;
    if (last?.hasStalled !== true || "http_status" in last.seen) return last?.seen ?? [];
    onStalled(last.task);
    return [];
  });
}

async function askGit(
  config: Config,
  { nodes, own }: Readonly<Record<"nodes" | "own", readonly Node[]>>,
  observed: readonly Observation[],
  found: Found,
  probeRun: ProbeRun,
  performer: Performer,
) {
  const { proofOf = () => undefined, historyOf = () => undefined } = probeRun.git ?? {};
  const mirrors = listGitMirrors(observed, found);
  const fetched = await proveFetches(mirrors, proofOf, probeRun.clock.now(), performer);
  const readPrimaries = async (primaries: readonly Node[]) => {
    const read = nothingFound();
    const tasks = nodeTasks(config, primaries, probeRun, read).map((task) => ({ ...task, id: undefined }));
    const seen = (await performer.performAll(tasks)).map((one) => one.seen);
    return listGitMirrors(seen, read);
  };
  const targets = await seeTargets(nodes, own, mirrors, historyOf, readPrimaries);
  const observations = observed.map((one) => ({ ...one, fetched: fetched.get(one.id) }));
  return { observations, history: await askHistory(targets, performer) };
}

function controlTasks({ probe }: Config, { clock }: ProbeRun): ProbeTask<ControlObservation>[] {
  return probe.controls.map((given) => {
    const control = typeof given === "string" ? { url: given } : given;
    return {
      ...{ url: control.url, host: new URL(control.url).host, timeoutMs: parseDuration(probe.timeout) },
      probe: (signal, transport) => probeControl(signal, control, probe.maxRedirects, transport, clock),
    };
  });
}

function nodeTasks(
  { probe, site }: Config,
  nodes: readonly Node[],
  { clock, silent, earlier, references, git, verifySignature, onSeen }: ProbeRun,
  { refSets, servers }: Found,
): ProbeTask<Observation>[] {
  const intervalMs = parseDuration(site.interval);
  return nodes.map((node) => ({
    ...{ id: node.id, url: node.url, host: node.host, timeoutMs: node.settings.timeoutMs },
    wasSilent: silent?.has(node.id) === true,
    probe: async (signal, transport) => {
      const { id, url, settings, primary, hasPrimary, place } = node;
      const now = clock.now();
      const reference = references?.get(place);
      const branch = primary ? undefined : git?.historyOf(place)?.main;
      const context = {
        ...earlier?.get(id),
        verifySignature,
        isPrimary: primary && references !== undefined,
        hasPrimary,
        reference: reference && { ...reference, branch },
        now,
        turn: turnAt(now, intervalMs),
      };
      const request = { ...settings, url, maxRedirects: probe.maxRedirects, context };
      const { refs, uploadPack, ...result } = await probeNode(signal, request, transport, clock);
      const observation = { id, ...result, refs: refs && refSets.add(refs) };
      // Throws if the results parser would reject a value, so that no mirror can make results and state unreadable.
      const seen = observationSchema.parse(observation);
      if (uploadPack !== undefined) servers.set(seen, { node, uploadPack });
      onSeen?.(seen, refs);
      return seen;
    },
  }));
}

/** A node stays in its shard when other nodes come or go. */
export function inShard(nodes: readonly Node[], { index, count }: Shard): Node[] {
  const shardOf = (id: number): number => (hash("sha256", String(id), "buffer").readUInt32BE() % count) + 1;
  return nodes.filter(({ id }) => count === 1 || shardOf(id) === index);
}
