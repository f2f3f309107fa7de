import type { Mirror } from "../../client/index.ts";
import type { Node } from "../../config/nodes.ts";
import { configOfMirror } from "../../config/schema.ts";
import type { KindName } from "../../kinds/kinds.ts";
import type { Observation } from "../../probe/observation.ts";
import type { CommandContext } from "../../base/terminal/context.ts";

export interface Probed {
  readonly mirror: Mirror;
  readonly observation: Observation;
}

export interface ProbeSettings {
  readonly kind: KindName;
  /** In milliseconds. */
  readonly timeout: number;
  readonly allowPrivate?: boolean | undefined;
}

const maxProbes = 16;

/**
 * Probes mirrors one after the other, as a run does, until one is good. Returns all observations: only the last one can
 * be good. Rejects with the reason of the interrupt, or with an internal error.
 */
export async function probeUntilGood(
  mirrors: readonly Mirror[],
  settings: ProbeSettings,
  context: CommandContext,
): Promise<Probed[]> {
  const { observe } = await import("../../run/observe.ts");
  // A configuration needs a mirror, which is not probed.
  const defaults = configOfMirror("https://feed.invalid/");
  const probed: Probed[] = [];
  for (const mirror of mirrors.slice(0, maxProbes)) {
    const { allowPrivate } = settings;
    // pick itself says why a mirror is left out.
    const silent = { ...context, log: () => undefined };
    const { observations } = await observe(defaults, [nodeOf(mirror, settings)], { allowPrivate }, silent);
    const [observation] = observations;
    if (observation === undefined) throw new Error("The mirror was not observed.");
    probed.push({ mirror, observation });
    if (observation.code === "ok") break;
  }
  return probed;
}

/** Returns the mirrors with the good one first, then those not probed, then those that failed. */
export function reorder(mirrors: readonly Mirror[], probed: readonly Probed[]): Mirror[] {
  const codes = new Map(probed.map(({ mirror, observation }) => [mirror, observation.code]));
  const order = (mirror: Mirror): number => {
    const code = codes.get(mirror);
    return code === "ok" ? 0 : code === undefined ? 1 : 2;
  };
  return mirrors.toSorted((left, right) => order(left) - order(right));
}

const names = { system: "feed", project: "feed", target: "feed", place: "feed/feed/feed", primary: false };

function nodeOf({ id, name, url }: Mirror, { kind, timeout: timeoutMs }: ProbeSettings): Node {
  const settings = { kind, timeoutMs, attempts: 2, failureThreshold: 1, successThreshold: 1, options: {} };
  return { id, name, url, host: new URL(url).host, ...names, settings };
}
