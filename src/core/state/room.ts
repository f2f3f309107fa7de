import { formatState, type StateDocument } from "./document.ts";
import { namesKept, type Reference } from "./content-schema.ts";
import type { NodeState, State } from "./state-schema.ts";

/** Returns the first items that fit into `room` together. */
export function fitting<Item>(items: readonly Item[], room: number, size: (item: Item) => number): Item[] {
  let left = room;
  return items.filter((item) => {
    left -= size(item);
    return left >= 0;
  });
}

/** In bytes of JSON. */
export function sizeOf(part: unknown): number {
  return Buffer.byteLength(JSON.stringify(part));
}

/** In characters. */
const shownLength = 100;

/** Shortens the name of a ref, which can have thousands of bytes. */
export function shownName(name: string): string {
  return name.length > shownLength ? `${name.slice(0, shownLength - 1)}…` : name;
}

/** In bytes: enough for the longest shown name, or for several common ones. */
const roomForNames = 300;

/** Shortens the names and returns the first five, or fewer if these do not fit into `roomForNames`. */
export function shownNames(names: readonly string[]): string[] {
  return fitting(names.slice(0, namesKept).map(shownName), roomForNames, (name) => Buffer.byteLength(name));
}

/** Bytes per node for the refs of all references. */
const roomForNode = 350;
/** The minimum for a small feed, in bytes. */
const roomForFeed = 256 * 1024;

/** Drops the refs of the largest references if not all fit. The next run can then compare only digests of them. */
export function keptReferences(
  targets: readonly { readonly place: string; readonly reference: Reference | undefined }[],
  nodes: number,
): State["references"] {
  const sized = targets
    .flatMap(({ place, reference }) => {
      const { refs = {}, moves = [] } = reference ?? {};
      return reference === undefined ? [] : [{ place, reference, size: sizeOf([refs, moves]) }];
    })
    .sort((one, other) => one.size - other.size);
  const kept = new Set(fitting(sized, Math.max(roomForFeed, roomForNode * nodes), ({ size }) => size));
  return Object.fromEntries(
    sized.map((one) => [one.place, kept.has(one) ? one.reference : withoutRefs(one.reference)]),
  );
}

/** Without its refs, only the branch of a reference is compared until the next run. */
export function withoutRefs(reference: Reference): Reference {
  return { ...reference, refs: undefined, moves: undefined, known_from: undefined };
}

/**
 * Shortens a state to `maxBytes` if possible. Mirrors that have left the feed go first, then the histories and details
 * that save the most. So a mirror with very long answers neither fails the run nor costs other mirrors their history.
 */
export function fitState<Whole extends State>(
  state: Whole,
  maxBytes: number,
  document: StateDocument<Whole>,
): { readonly state: Whole; readonly bytes: Buffer } {
  const bytes = formatState(state, document);
  let excess = bytes.length - maxBytes;
  if (excess <= 0) return { state, bytes };
  if (state.former !== undefined) return fitState({ ...state, former: undefined }, maxBytes, document);
  const fitted = { ...state, nodes: { ...state.nodes }, references: { ...state.references } };
  const cuts = [...cutsOf(fitted.nodes, withoutDetails), ...cutsOf(fitted.references, withoutHistory)];
  for (const { savedBytes, apply } of cuts.sort((one, other) => other.savedBytes - one.savedBytes)) {
    if (excess <= 0) break;
    apply();
    excess -= savedBytes;
  }
  return { state: fitted, bytes: formatState(fitted, document) };
}

function cutsOf<Part>(parts: Record<string, Part>, shorten: (part: Part) => Part) {
  return Object.entries(parts).map(([key, part]) => {
    const short = shorten(part);
    return { savedBytes: sizeOf(part) - sizeOf(short), apply: () => (parts[key] = short) };
  });
}

function withoutDetails(node: NodeState): NodeState {
  const names = { missing: [], extra: [], different: [] };
  const difference = node.difference && { ...node.difference, names };
  const explanation = { http_status: undefined, phase: undefined, cause: undefined };
  return { ...node, ...explanation, difference, own_tags: undefined, transitions: [], changes: undefined };
}

function withoutHistory(reference: Reference): Reference {
  const versions = reference.versions.slice(-1).map((one) => ({ ...one, index: undefined }));
  return { ...withoutRefs(reference), versions, answers: undefined, rewritten: undefined };
}
