import { freshnessAt } from "./freshness.ts";
import { changesKept, type ContentChange, type NodeState } from "./state-schema.ts";
import { dayMs } from "../base/text/duration.ts";

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
  { at, lastRun }: { readonly at: number; readonly lastRun: number },
): readonly ContentChange[] | undefined {
  const known = before?.changes ?? [];
  const was =
    known.findLast(([, , expiry]) => expiry === undefined)?.[1] ??
    freshnessWord(before, lastRun) ??
    "in_sync";
  const now = freshnessWord(after, at);
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

/** Being behind for less than the grace is no news. */
function freshnessWord(node: NodeState | undefined, at: number): string | undefined {
  if (node?.status !== 1) return undefined;
  if (node.content_code !== undefined) return node.content_code;
  const freshness = freshnessAt(node, at);
  const isNoNews = freshness === "unknown" || (freshness === "behind" && node.late !== true);
  return isNoNews ? undefined : freshness;
}
