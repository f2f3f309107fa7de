import { formatInteger } from "../base/text/count.ts";
import { attentionStates, type MirrorState, mirrorStates, stateNames } from "../contract/mirror-state.ts";
import type { Status } from "../contract/network.ts";
import { evidence } from "../state/verdict.ts";
import { type Freshness, rank, type Rankable } from "../contract/rank.ts";

export interface Verdict {
  /** The state of the worst target. A target has the state of its best mirror. */
  readonly state: MirrorState;
  readonly counts: Readonly<Record<MirrorState, number>>;
  readonly total: number;
  /** How many mirrors are offline, wrong, different or behind. */
  readonly attention: number;
}

interface Evidence {
  readonly status: Status;
  /** Undefined before the first observation. */
  readonly code: string | undefined;
  readonly maintenance: string | undefined;
  readonly content_code: string | undefined;
  readonly freshness: Freshness;
}

/** Returns the state shown to people. A mirror's content does not count while it is offline or in maintenance. */
export function stateOf({ status, code, maintenance, content_code, freshness }: Evidence): MirrorState {
  if (maintenance !== undefined) return "maintenance";
  // If no run has found evidence yet, the status is only an assumption.
  if (evidence(code) === undefined) return "unknown";
  if (status === 0) return "offline";
  if (content_code !== undefined) return "wrong";
  return freshness === "differs" || freshness === "behind" ? freshness : "online";
}

type Judged = Rankable & { readonly state: MirrorState };

export function verdictOf(targets: readonly { readonly nodes: readonly Judged[] }[]): Verdict {
  const nodes = targets.flatMap((target) => target.nodes);
  const best = targets.map((target) => rank(target.nodes)[0]?.state);
  return {
    state: mirrorStates.find((state) => best.includes(state)) ?? "unknown",
    counts: countStates(nodes),
    total: nodes.length,
    attention: nodes.filter(({ state }) => attentionStates.includes(state)).length,
  };
}

export function countStates(mirrors: readonly { readonly state: MirrorState }[]): Verdict["counts"] {
  const counts = { offline: 0, wrong: 0, differs: 0, behind: 0, maintenance: 0, unknown: 0, online: 0 };
  for (const { state } of mirrors) counts[state] += 1;
  return counts;
}

/** Lists the counts in English, best state first, without zeros: `6 online, 1 behind, 1 offline`. */
export function formatStates(counts: Verdict["counts"]): string {
  return mirrorStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${formatInteger(counts[state])} ${stateNames[state]}`)
    .reverse()
    .join(", ");
}
