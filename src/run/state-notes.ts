import { formatCount } from "../base/text/count.ts";
import type { Node } from "../config/nodes.ts";
import { formerKeptMs } from "../state/former.ts";
import type { State } from "../state/schema.ts";

/** Whether a state lacks the run that wrote the site, because an earlier state was restored. */
export function isOlder(state: State | undefined, siteAt: number | undefined, now: number): boolean {
  const last = state?.runs.at(-1)?.[1];
  return last !== undefined && siteAt !== undefined && last < siteAt && siteAt <= now;
}

export const restoredNote =
  "The state is older than the last run, so it was restored; current problems count as known, and no notification is sent about them.";

/** `earlier` says how to bring back an earlier state. */
export function lostNote(location: string, earlier = "restore a backup, or correct --state"): string {
  return `Warning: the state in ${location} is missing, so the history starts over; to bring it back, ${earlier} before the next run.`;
}

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });

/**
 * Returns a sentence about the mirrors that left the feed in a run, one about those whose URL changed, and one about
 * those whose history was too much to keep. `file` is the file that no longer has them.
 */
export function formerNotes(
  before: State | undefined,
  after: State | undefined,
  nodes: readonly Node[],
  file: string,
): string[] {
  const configured = new Set(nodes.map(({ id }) => String(id)));
  const urlBefore = (id: string): string | undefined => before?.nodes[id]?.url;
  const leaving = Object.keys(before?.nodes ?? {}).filter((id) => after?.nodes[id]?.url !== urlBefore(id));
  const kept = leaving.filter((id) => after?.former?.nodes[id]?.node.url === urlBefore(id));
  const removed = kept.filter((id) => !configured.has(id)).length;
  const moved = kept.length - removed;
  const lost = leaving.length - kept.length;
  const until = day.format((after?.runs.at(-1)?.[1] ?? 0) + formerKeptMs);
  const [are, their] = removed === 1 ? ["is", "its"] : ["are", "their"];
  const have = moved === 1 ? "has a new URL" : "have new URLs";
  const notes: [count: number, text: string][] = [
    [removed, `${are} no longer in ${file}; ${their} history is kept until ${until}.`],
    [moved, `in ${file} ${have}; the history of the former URL is kept until ${until}.`],
    [
      lost,
      `left ${file} with more history than can be kept; to bring it back, restore the state from before this run.`,
    ],
  ];
  return notes.flatMap(([count, text]) => (count > 0 ? [`${formatCount(count, "mirror")} ${text}`] : []));
}
