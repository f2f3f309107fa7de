import type { Mirror } from "../../client/index.ts";
import type { NetworkNode } from "../../config/nodes.ts";
import { type Config, configSchema } from "../../config/schema.ts";
import type { Observation } from "../../probe/observation.ts";
import { observe } from "../observe.ts";
import type { Setting } from "../setting.ts";

/** What was seen of a mirror from here. */
export interface Probed {
  readonly mirror: Mirror;
  readonly observation: Observation;
}

export interface ProbeSettings {
  readonly kind: "git" | "http";
  readonly timeoutMs: number;
  readonly allowPrivate: boolean;
}

/** More mirrors than these are not tried. */
const mostProbes = 16;

/**
 * Probes mirrors one after the other, as a run does, until one answers as it should, and gives all it probed: the last
 * one is good, or none is. Rejects with the reason of the interrupt, or with a fault of ours.
 */
export async function probeUntilGood(
  mirrors: readonly Mirror[],
  settings: ProbeSettings,
  setting: Setting,
): Promise<Probed[]> {
  const probed: Probed[] = [];
  for (const mirror of mirrors.slice(0, mostProbes)) {
    const { allowPrivate } = settings;
    const { observations } = await observe(defaults(), [nodeOf(mirror, settings)], { allowPrivate }, setting);
    const [observation] = observations;
    if (observation === undefined) throw new Error("The mirror was not observed.");
    probed.push({ mirror, observation });
    if (observation.code === "ok") break;
  }
  return probed;
}

/** The mirrors in the order that the probes leave: the good one, those not probed, and those that failed. */
export function reorder(mirrors: readonly Mirror[], probed: readonly Probed[]): Mirror[] {
  const codes = new Map(probed.map(({ mirror, observation }) => [mirror, observation.code]));
  const place = (mirror: Mirror): number => {
    const code = codes.get(mirror);
    return code === "ok" ? 0 : code === undefined ? 1 : 2;
  };
  return mirrors.toSorted((left, right) => place(left) - place(right));
}

const names = { system: "feed", project: "feed", target: "feed" };

/** What a configuration that sets nothing leaves to the prober; it needs a node, which is not asked. */
function defaults(): Config {
  const target = { target: names.target, network: [{ id: 1, url: "https://feed.invalid/" }] };
  const project = { project: names.project, targets: [target] };
  return configSchema.parse({ systems: [{ system: names.system, projects: [project] }] });
}

function nodeOf({ id, name, url }: Mirror, { kind, timeoutMs }: ProbeSettings): NetworkNode {
  const settings = { kind, timeoutMs, attempts: 2, expectStatus: undefined, downAfter: 1, upAfter: 1 };
  return { id, name, url, host: new URL(url).host, ...names, settings };
}
