import { withoutRefs } from "./room.ts";
import type { Former, NodeTally, State } from "./state-schema.ts";
import { maxBytes } from "./store.ts";
import { dayMs } from "../base/text/duration.ts";

/** How long the history of a mirror that has left the feed is kept. */
export const formerKeptMs = 30 * dayMs;
/** In bytes: former mirrors and former references together get a tenth of the largest state. */
const roomForEach = maxBytes / 20;

export const noFormer: Former = { nodes: {}, references: {}, last_id: 0 };

/** Nodes that leave the feed at `at`, with their tallies. */
export function nodesAside(nodes: State["nodes"], vantages: State["vantages"], at: number): Former["nodes"] {
  const aside = Object.entries(nodes).map(([id, node]) => {
    const tallies = Object.entries(vantages).flatMap(([name, vantage]) => {
      const tally = vantage.nodes[id];
      return tally === undefined ? [] : [[name, tally] as const];
    });
    return [id, { at, node, tallies: Object.fromEntries(tallies) }] as const;
  });
  return Object.fromEntries(aside);
}

/** References of targets that leave the feed at `at`, without their refs. */
export function referencesAside(references: State["references"], at: number): Former["references"] {
  const aside = Object.entries(references).map(
    ([place, reference]) => [place, { at, reference: withoutRefs(reference) }] as const,
  );
  return Object.fromEntries(aside);
}

/** A vantage's tallies of nodes that are back at `at`. Runs that missed them while they were away don't count. */
export function talliesOf(nodes: Former["nodes"], vantage: string, at: number): Record<string, NodeTally> {
  const tallies = Object.entries(nodes).flatMap(([id, node]) => {
    const tally = node.tallies[vantage];
    return tally === undefined ? [] : [[id, { ...tally, from: at + 1 }] as const];
  });
  return Object.fromEntries(tallies);
}

/** Drops what is too old at `at`, and the oldest of what does not fit. */
export function withinRoom({ nodes, references, last_id }: Former, at: number): Former | undefined {
  if (last_id === 0) return undefined;
  return { nodes: newest(nodes, at), references: newest(references, at), last_id };
}

function newest<Part extends { readonly at: number }>(
  parts: Readonly<Record<string, Part>>,
  at: number,
): Record<string, Part> {
  let room = roomForEach;
  const kept = Object.entries(parts)
    .filter(([, part]) => at - part.at < formerKeptMs)
    .sort(([, one], [, other]) => other.at - one.at)
    .filter(([, part]) => (room -= sizeOf(part)) >= 0);
  return Object.fromEntries(kept);
}

function sizeOf(part: unknown): number {
  return Buffer.byteLength(JSON.stringify(part));
}
