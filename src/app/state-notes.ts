import { formatCount } from "../core/base/text/count.ts";
import { formerKeptMs } from "../core/state/identity.ts";
import type { State } from "../core/state/state-schema.ts";

/** Whether a state lacks the run that wrote the site, because an earlier state was restored. */
export function isOlder(state: State | undefined, siteAt: number | undefined, now: number): boolean {
  const last = state?.runs.at(-1)?.[1];
  return last !== undefined && siteAt !== undefined && last < siteAt && siteAt <= now;
}

/** What a run found before it stored its own state. */
interface StateBefore {
  readonly state: State | undefined;
  /** How to bring back an earlier state, if there is one. */
  readonly earlier: string | undefined;
  /** Whether an earlier run has written the site. */
  readonly wroteSite: boolean;
  readonly isRestored: boolean;
}

/** Returns what happened to the state that an operator should know: it was lost or restored, or mirrors left it. */
export function stateNotes(
  { state, earlier, wroteSite, isRestored }: StateBefore,
  after: State | undefined,
  { state: location, config }: { readonly state: string; readonly config: string },
): string[] {
  const isLost = state === undefined && (wroteSite || earlier !== undefined);
  const remedy = earlier ?? "restore a backup, or correct --state";
  const lost = `Warning: the state in ${location} is missing, so the history starts over; to bring it back, ${remedy} before the next run.`;
  const restored =
    "The state is older than the last run, so it was restored; current problems count as known, and no notification is sent about them.";
  return [...(isLost ? [lost] : []), ...(isRestored ? [restored] : []), ...formerNotes(state, after, config)];
}

/**
 * Returns a sentence about the mirrors that left the feed in a run, and one about those with too much history to keep. A
 * mirror whose URL has changed has left, too. `file` is the file that no longer has them.
 */
function formerNotes(before: State | undefined, after: State | undefined, file: string): string[] {
  const urlBefore = (id: string): string | undefined => before?.nodes[id]?.url;
  const leaving = Object.keys(before?.nodes ?? {}).filter((id) => after?.nodes[id]?.url !== urlBefore(id));
  if (leaving.length === 0) return [];
  const kept = leaving.filter((id) => after?.former?.nodes[id]?.node.url === urlBefore(id)).length;
  const lost = leaving.length - kept;
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
  const until = day.format((after?.runs.at(-1)?.[1] ?? 0) + formerKeptMs);
  const [are, their] = kept === 1 ? ["is", "its"] : ["are", "their"];
  const keptNote = `${are} no longer in ${file}; ${their} history is kept until ${until}.`;
  const lostNote = `left ${file}, and there was no room for more history; to bring it back, restore the earlier state.`;
  return [
    ...(kept > 0 ? [`${formatCount(kept, "mirror")} ${keptNote}`] : []),
    ...(lost > 0 ? [`${formatCount(lost, "mirror")} ${lostNote}`] : []),
  ];
}
