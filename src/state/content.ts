import { hash } from "node:crypto";
import { listTargets, type Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { defaultRefs } from "../kinds/git-refs.ts";
import type { Observation } from "../probe/observation.ts";
import type { RefSet } from "../probe/ref-set.ts";
import type { NodeState, State } from "./document.ts";
import type { Reference } from "./reference-document.ts";
import { type ReferenceMove, rememberContent } from "./freshness.ts";
import { compareRefs } from "./ref-difference.ts";
import { moveReference, referenceTip, type Tip } from "./reference.ts";
import { prevailing } from "./prevailing.ts";
import type { Round, VantageRound } from "./round.ts";
import { evidence } from "./verdict.ts";

/** The fields of a node that are about its content and its certificate. */
export type NodeContent = Pick<
  NodeState,
  | "revision"
  | "branch"
  | "refs"
  | "refs_unread"
  | "difference"
  | "content_at"
  | "content_code"
  | "content_since"
  | "behind_since"
  | "apart_since"
  | "differs"
  | "tls_expires_at"
>;

/** What a run says of the content of a node. */
interface ContentRun {
  readonly at: number;
  readonly url: string;
  readonly seen: readonly Observation[];
  readonly refs: Round["refs"];
  readonly reference: TargetMove | undefined;
  /** The patterns of the refs that are compared of the node. */
  readonly patterns: string;
}

/** The move of a reference, and the patterns of its refs. */
export interface TargetMove extends ReferenceMove {
  readonly patterns: string;
}

/** Returns what to keep of the content of a node after a run: the one that most good observations are of. */
export function contentOf(
  before: NodeState | undefined,
  { at, url, seen, refs: sets, reference, patterns }: ContentRun,
): NodeContent {
  const good = prevailing(seen.filter(({ code }) => evidence(code) === 1));
  // Refs of other patterns than those of the reference are others, so that HEAD alone is compared.
  const isComparable = patterns === reference?.patterns;
  const content =
    good === undefined ? pastContent(before) : newContent(before, good, reference, isComparable);
  const expiry = seen.find(({ tls_expires_at }) => tls_expires_at !== undefined)?.tls_expires_at;
  // A mirror without TLS has a certificate only while it redirects to a URL with one.
  const past = good !== undefined && url.startsWith("http:") ? undefined : before?.tls_expires_at;
  const tls_expires_at = expiry === undefined ? past : Date.parse(expiry);
  if (reference?.after === undefined) return { ...content, tls_expires_at };

  const { after } = reference;
  const isCompared = content.refs !== undefined && after.sets !== undefined;
  const isDifferent = isCompared && !isNewest(content, after);
  const set = isDifferent ? sets?.get(content.refs) : undefined;
  const compared = set === undefined || after.refs === undefined ? undefined : compareRefs(set, after);
  const difference = isDifferent ? (compared?.counts ?? before?.difference) : undefined;
  const newest = (isCompared ? after.sets : after.revisions).at(-1)?.[1];
  const { since, missingSince, heldSince } = compared ?? {};
  const stood = { since: since ?? newest, missingSince, heldSince, isExact: since !== undefined };
  const remembered = rememberContent(before, content, reference, stood, at);
  const wrong = content.content_code ?? remembered.differs;
  const wasWrong = before?.content_code ?? before?.differs;
  const content_since = wrong === undefined ? undefined : wrong === wasWrong ? before?.content_since : at;
  return { ...content, ...remembered, difference, content_since, tls_expires_at };
}

function isNewest({ refs }: NodeContent, reference: Reference | undefined): boolean {
  return reference?.sets?.at(-1)?.[0] === refs;
}

function pastContent(before: NodeState | undefined): NodeContent {
  const { revision, branch, refs, refs_unread, content_at, content_code } = before ?? {};
  return { revision, branch, refs, refs_unread, content_at, content_code };
}

function newContent(
  before: NodeState | undefined,
  good: Observation,
  reference: ReferenceMove | undefined,
  isComparable: boolean,
): NodeContent {
  const { revision, branch = "", refs_unread, content_at, content_code } = good;
  const refs = isComparable ? good.refs : undefined;
  // Refs that could not be read once are those of before, if nothing else has moved. The mirror may have followed a reference
  // whose refs moved.
  const isKept =
    refs_unread === "unread" &&
    revision !== undefined &&
    revision === before?.revision &&
    !(isNewest(before, reference?.before) && !isNewest(before, reference?.after));
  return {
    revision,
    branch: revision === undefined ? undefined : branch,
    refs: isKept ? before.refs : refs,
    refs_unread: isKept && before.refs !== undefined ? undefined : refs_unread,
    content_at: content_at === undefined ? undefined : Date.parse(content_at),
    content_code,
  };
}

/** Returns the reference of each target that has or had one, by its place. A late round, which is left out, moves none. */
export function moveReferences(
  config: Config,
  nodes: readonly Node[],
  round: Round | undefined,
  online: readonly VantageRound[],
  known: State | undefined,
  at: number,
): Map<string, TargetMove> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return new Map(
    listTargets(config).map(({ place, target: { primary, network } }): [string, TargetMove] => {
      const before = known?.references[place];
      const tips = round === undefined ? [] : network.flatMap(({ id }) => tipOf(id, online, round.refs));
      const tip = referenceTip(tips, primary, network.length);
      const patterns = patternsOf(byId.get(primary ?? network[0]?.id ?? 0));
      const after = tip && moveReference(before, tip, at, refsOf(primary, patterns));
      const seen = { revision: tip !== undefined, refs: tip?.refs !== undefined };
      return [place, { before, after: after ?? before, seen, patterns }];
    }),
  );
}

/** Returns the patterns of the refs that are compared of a node, as text. */
export function patternsOf(node: Node | undefined): string {
  return JSON.stringify(node?.settings.options["refs"] ?? defaultRefs);
}

/** Returns what identifies the refs of a reference: its primary node, and the patterns of the refs. */
function refsOf(primary: number | undefined, patterns: string): string {
  const text = JSON.stringify([primary ?? null, patterns]);
  return hash("sha256", text).slice(0, 16);
}

function tipOf(
  id: number,
  online: readonly VantageRound[],
  sets: ReadonlyMap<string, RefSet> | undefined,
): Tip[] {
  const all = online.map(({ observations }) => observations.get(id)).filter((one) => one !== undefined);
  const seen = prevailing(all.filter(({ revision }) => revision !== undefined));
  if (seen?.revision === undefined) return [];
  const { revision, branch = "", refs, refs_unread, content_at, index } = seen;
  const at = content_at === undefined ? undefined : Date.parse(content_at);
  const set = refs === undefined ? undefined : sets?.get(refs);
  return [{ id, revision, branch, refs, set, hasTooManyRefs: refs_unread === "too_many", at, index }];
}

/** How many bytes the refs of all references may take in the state for each node, and for a small feed in all. */
const roomForNode = 350;
const roomForFeed = 256 * 1024;

/**
 * Returns the references to keep. Those with the most refs lose them if there is no room for all: then only whole sets
 * are compared between runs.
 */
export function keptReferences(
  references: ReadonlyMap<string, ReferenceMove>,
  nodes: number,
): State["references"] {
  let room = Math.max(roomForFeed, roomForNode * nodes);
  const sized = [...references]
    .flatMap(([place, { after }]) => (after === undefined ? [] : [{ place, after, size: sizeOf(after) }]))
    .sort((one, other) => one.size - other.size);
  const kept = sized.map(({ place, after, size }) => {
    room -= size;
    return [place, room >= 0 ? after : withoutRefs(after)] as const;
  });
  return Object.fromEntries(kept);
}

/** Returns how many bytes the names and ids of a reference take, with those that changed on the last day. */
function sizeOf({ refs = {}, recent = {} }: Reference): number {
  return Buffer.byteLength(JSON.stringify([refs, recent]));
}

function withoutRefs(reference: Reference): Reference {
  return { ...reference, refs: undefined, recent: undefined, refs_since: undefined };
}
