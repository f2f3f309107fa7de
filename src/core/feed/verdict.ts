import { formatInteger } from "../base/text/count.ts";
import { attentionStates, type MirrorState, mirrorStates, stateNames } from "../verdict/mirror-state.ts";
import type { Status } from "../contract/network.ts";
import type { Freshness } from "../verdict/rank.ts";
import { evidence } from "../kinds/kinds.ts";

export type Verdict = Readonly<ReturnType<typeof verdictOf>>;

interface Evidence {
  readonly status: Status;
  /** Undefined before the first observation. */
  readonly code: string | undefined;
  readonly maintenance: string | undefined;
  readonly content_code: string | undefined;
  readonly freshness: Freshness;
  readonly late: boolean;
}

/** Returns the state shown to people. A mirror's content does not count while it is offline or in maintenance. */
export function stateOf({ status, code, maintenance, content_code, freshness, late }: Evidence): MirrorState {
  if (maintenance !== undefined) return "maintenance";
  // If no run has found evidence yet, the status is only an assumption.
  if (evidence(code) === undefined) return "unknown";
  if (status === 0) return "offline";
  if (content_code !== undefined) return "wrong";
  if (freshness === "differs" || (freshness === "behind" && late)) return freshness;
  return "online";
}

interface Judged {
  readonly status: Status;
  readonly state: MirrorState;
}

export function verdictOf(targets: readonly { readonly nodes: readonly Judged[] }[]) {
  const nodes = targets.flatMap((target) => target.nodes);
  const states = targets.map((target) => stateOfTarget(target.nodes));
  const state = attentionStates.find((one) => states.includes(one)) ?? bestOf(states);
  const attention = nodes.filter(needsAttention).length;
  return {
    /** The worst state of a target that needs attention, or else the best state of a target. */
    state,
    color: colorOf(state, attention),
    counts: countStates(nodes),
    total: nodes.length,
    /** How many mirrors are offline, wrong, different or behind. */
    attention,
  };
}

/** Red if a target has no mirror that is reachable and right, amber if any mirror needs attention. */
function colorOf(state: MirrorState, attention: number): "red" | "amber" | "green" | "grey" {
  if (state === "offline" || state === "wrong") return "red";
  if (attention > 0) return "amber";
  return state === "online" ? "green" : "grey";
}

/** Returns the best state of a usable mirror. If there is none, a fault comes before maintenance. */
function stateOfTarget(nodes: readonly Judged[]): MirrorState {
  const usable = nodes.filter(({ status, state }) => status === 1 && state !== "wrong");
  const shown = [usable, nodes.filter(needsAttention), nodes].find(({ length }) => length > 0) ?? [];
  return bestOf(shown.map(({ state }) => state));
}

const bestFirst = ["online", "behind", "differs", "unknown", "maintenance", "wrong", "offline"] as const;

function bestOf(states: readonly MirrorState[]): MirrorState {
  return bestFirst.find((state) => states.includes(state)) ?? "unknown";
}

function needsAttention({ state }: Judged): boolean {
  return attentionStates.includes(state);
}

export function countStates(mirrors: readonly { readonly state: MirrorState }[]) {
  const counts = { offline: 0, wrong: 0, differs: 0, behind: 0, maintenance: 0, unknown: 0, online: 0 };
  for (const { state } of mirrors) counts[state] += 1;
  return counts;
}

/** Lists the counts in English, best state first, without zeros: `6 online, 1 behind, 1 offline`. */
export function formatStates(counts: Readonly<Record<MirrorState, number>>): string {
  return mirrorStates
    .filter((state) => counts[state] > 0)
    .map((state) => `${formatInteger(counts[state])} ${stateNames[state]}`)
    .reverse()
    .join(", ");
}
