import { dayMs } from "./counts.ts";
import { changesKept, type ContentChange, type NodeState } from "./document.ts";
import { freshnessOf, type ReferenceMove } from "./freshness.ts";

/** How long before its expiry a certificate is mentioned, in days. */
export const certificateDays = 14;

/** A run's time and that of the run before it, in epoch milliseconds. */
interface RunTimes {
  readonly at: number;
  readonly lastRun: number;
}

/**
 * Returns the changes of a node's freshness and certificate after a run, the newest last, or undefined if there are none. What
 * is unknown, and the content of a node that is offline, changes nothing.
 */
export function contentChanges(
  before: NodeState | undefined,
  after: NodeState,
  reference: ReferenceMove | undefined,
  { at, lastRun }: RunTimes,
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

/** Returns whether a certificate expires soon, counted from the start of the day, as on the pages. */
function isSoon(expiry: number | undefined, at: number): boolean {
  return expiry !== undefined && expiry - Math.floor(at / dayMs) * dayMs < certificateDays * dayMs;
}

function freshnessWord(node: NodeState | undefined, reference: ReferenceMove["after"]): string | undefined {
  if (node?.status !== 1) return undefined;
  if (node.content_code !== undefined) return node.content_code;
  const { state } = freshnessOf(node, reference);
  return state === "unknown" ? undefined : state;
}
