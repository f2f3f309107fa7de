import type { Node } from "../config/nodes.ts";
import type { Observation } from "../probe/observation.ts";
import type { RefSet } from "../probe/ref-set.ts";
import { dayMs } from "./counts.ts";
import { freshnessOf, rememberContent, type Standing } from "./freshness.ts";
import { keptId, patternsOf, prevailing, type ReferenceMove, stoodSince } from "./reference.ts";
import { shownNames } from "./room.ts";
import type { Round } from "./round.ts";
import {
  changesKept,
  type ContentChange,
  namesKept,
  type NodeContent,
  type NodeState,
  type Reference,
} from "./schema.ts";
import { evidence } from "./verdict.ts";

interface ContentRun {
  readonly at: number;
  readonly seen: readonly Observation[];
  readonly refs: Round["refs"];
  readonly reference: ReferenceMove | undefined;
}

/** Returns the content to store for a node after a run: what most good observations saw. */
export function contentOf(
  node: Node,
  before: NodeContent | undefined,
  { at, seen, refs: sets, reference }: ContentRun,
): NodeContent {
  const good = prevailing(seen.filter(({ code }) => evidence(code) === 1));
  // If the node's ref patterns are not those of the reference, only HEAD is compared.
  const isComparable = patternsOf(node) === reference?.patterns;
  const content =
    good === undefined ? pastContent(before) : newContent(before, good, reference, isComparable);
  const expiry = seen.find(({ tls_expires_at }) => tls_expires_at !== undefined)?.tls_expires_at;
  // A mirror with an http: URL has a certificate only while it redirects to https:. So its earlier certificate is
  // dropped when it answers without one.
  const past = good !== undefined && node.url.startsWith("http:") ? undefined : before?.tls_expires_at;
  const tls_expires_at = expiry === undefined ? past : Date.parse(expiry);
  const wasWrong = before?.content_code ?? before?.differs;
  const sinceWhen = (wrong: NodeContent["content_code"] | true): number | undefined =>
    wrong === undefined ? undefined : wrong === wasWrong ? before?.content_since : at;
  if (reference?.after === undefined)
    return { ...content, content_since: sinceWhen(content.content_code), tls_expires_at };

  const { after } = reference;
  const isCompared = content.refs !== undefined && after.sets !== undefined;
  const isDifferent = isCompared && !isNewest(content, after);
  const set = isDifferent ? sets?.get(content.refs) : undefined;
  const compared = set === undefined || after.refs === undefined ? undefined : compareRefs(set, after);
  const difference = isDifferent ? (compared?.difference ?? before?.difference) : undefined;
  const standing = compared?.standing ?? standingOf(content, after);
  const remembered = rememberContent(before, content, reference, standing, at);
  const content_since = sinceWhen(content.content_code ?? remembered.differs);
  return { ...content, ...remembered, difference, content_since, tls_expires_at };
}

function isNewest({ refs }: NodeContent, reference: Reference | undefined): boolean {
  return reference?.sets?.at(-1)?.[0] === refs;
}

function pastContent(before: NodeContent | undefined): NodeContent {
  const { revision, branch, refs, refs_unread, content_at, content_code } = before ?? {};
  return { revision, branch, refs, refs_unread, content_at, content_code };
}

function newContent(
  before: NodeContent | undefined,
  good: Observation,
  reference: ReferenceMove | undefined,
  isComparable: boolean,
): NodeContent {
  const { revision, branch = "", refs_unread, content_at, content_code } = good;
  // If a mirror's refs could not be read this time, its previous refs are kept as long as its HEAD is unchanged. But
  // they are dropped if they were in sync and the reference has just changed, because the mirror may have copied the
  // change.
  const isKept =
    isComparable &&
    refs_unread === "unread" &&
    before?.refs_unread === undefined &&
    revision !== undefined &&
    revision === before?.revision &&
    !(isNewest(before, reference?.before) && !isNewest(before, reference?.after));
  return {
    revision,
    branch: revision === undefined ? undefined : branch,
    refs: isKept ? before.refs : isComparable ? good.refs : undefined,
    refs_unread: isComparable ? refs_unread : undefined,
    content_at: content_at === undefined ? undefined : Date.parse(content_at),
    content_code,
  };
}

/** Compares a node's refs with the newest refs of the reference. Returns undefined if they are equal. */
function compareRefs(
  refs: RefSet,
  reference: Reference,
): { readonly difference: NodeContent["difference"]; readonly standing: Standing } | undefined {
  const expected = new Map(Object.entries(reference.refs ?? {}));
  const missing = [...expected.keys()].filter((name) => !refs.has(name));
  const extra = [...refs.keys()].filter((name) => !expected.has(name));
  const different = [...refs].flatMap(([name, id]) =>
    expected.has(name) && expected.get(name) !== keptId(id) ? [name] : [],
  );
  const names = [...missing, ...extra, ...different];
  if (names.length === 0) return undefined;
  const since = (some: readonly string[]): number | undefined =>
    some.length === 0
      ? undefined
      : some.reduce((oldest, name) => Math.min(oldest, stoodSince(reference, name)), Infinity);
  return {
    difference: {
      missing: missing.length,
      extra: extra.length,
      different: different.length,
      names: {
        missing: shownNames(missing, namesKept),
        extra: shownNames(extra, namesKept),
        different: shownNames(different, namesKept),
      },
    },
    standing: {
      since: since(names),
      isExact: true,
      missingSince: since(missing),
      heldSince: since([...missing, ...different]),
    },
  };
}

/** Returns when the reference began to differ from a node whose refs cannot be compared one by one. */
function standingOf(
  { refs, refs_unread }: NodeContent,
  { revisions, sets, refs_since }: Reference,
): Standing {
  const hasTooMany = refs_unread === "too_many";
  const history = refs === undefined && !hasTooMany ? revisions : (sets ?? revisions);
  // This node has too many refs. The reference has had fewer since `refs_since`, so its refs have differed from these for
  // at least that long.
  if (hasTooMany && refs_since !== undefined) return { since: refs_since, isExact: true };
  return { since: history.at(-1)?.[1], isExact: false };
}

/** A certificate is reported this many days before it expires. */
export const certificateDays = 14;

/**
 * Returns the kept changes of a node's freshness and certificate, newest last, including those in the run at `at`.
 * Returns undefined if there are none. `at` and `lastRun` are in epoch milliseconds. While a node is offline or its
 * freshness is unknown, no freshness change is added.
 */
export function contentChanges(
  before: NodeState | undefined,
  after: NodeState,
  reference: ReferenceMove | undefined,
  { at, lastRun }: { readonly at: number; readonly lastRun: number },
): readonly ContentChange[] | undefined {
  const known = before?.changes ?? [];
  const was =
    known.findLast(([, , expiry]) => expiry === undefined)?.[1] ??
    freshnessWord(before, reference?.before) ??
    "in_sync";
  const now = freshnessWord(after, reference?.after);
  const freshness: ContentChange[] = now === undefined || now === was ? [] : [[at, now]];
  const expiry = after.tls_expires_at;
  const wasSoon = isSoon(before?.tls_expires_at, lastRun);
  const certificate: ContentChange[] =
    expiry === undefined || isSoon(expiry, at) === wasSoon
      ? []
      : [[at, wasSoon ? "certificate_renewed" : "certificate_expires", expiry]];
  if (freshness.length + certificate.length === 0) return before?.changes;
  return [...known, ...freshness, ...certificate].slice(-changesKept);
}

/** Counts the days until the expiry from the start of the current day, as the pages do. */
function isSoon(expiry: number | undefined, at: number): boolean {
  return expiry !== undefined && expiry - Math.floor(at / dayMs) * dayMs < certificateDays * dayMs;
}

function freshnessWord(node: NodeState | undefined, reference: Reference | undefined): string | undefined {
  if (node?.status !== 1) return undefined;
  if (node.content_code !== undefined) return node.content_code;
  const { state } = freshnessOf(node, reference);
  return state === "unknown" ? undefined : state;
}
