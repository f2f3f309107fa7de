import { isoTimestamp } from "../base/text/timestamp.ts";
import { dayMs } from "../base/text/duration.ts";

/** How many days have their last state on the branch, with today. */
const daysKept = 10;

// Git hosts link a commit to the account with its email address, so this one belongs to nobody (RFC 2606).
const committer = "mirrorfeed <mirrorfeed@mirrorfeed.invalid>";
export const dayMessage = "mirrorfeed state, the last of its day\n\n[skip ci]\n";

/** The last state of an earlier day, which is on the branch as a commit without parents. */
export interface Day {
  /** In seconds since 1970. */
  readonly at: number;
  /** The object id of the commit's tree. */
  readonly tree: string;
}

/** The branch's newest commit: the state, whose parents are the earlier days. */
export interface TipCommit extends Day {
  readonly days: readonly Day[];
  readonly parents: readonly string[];
  /** The commit is one of an earlier day, so somebody restored it. */
  readonly isRestored: boolean;
}

/** `raw` is the text of any commit, in Git's format. */
export function parseCommit(raw: string): TipCommit {
  const end = raw.indexOf("\n\n");
  const [head, message] = [raw.slice(0, end), raw.slice(end + 2)];
  const [, tree = ""] = /^tree ([\da-f]+)$/m.exec(head) ?? [];
  const [, at = "0"] = /^committer .* (\d{1,10}) [+-]\d{4}$/m.exec(head) ?? [];
  return {
    tree,
    at: Number(at),
    days: [...message.matchAll(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z ([\da-f]{40,64})$/gm)]
      .slice(0, daysKept)
      .map(([, time, own = ""]) => ({ at: Date.parse(`${time}Z`) / 1000, tree: own })),
    parents: [...head.matchAll(/^parent ([\da-f]+)$/gm)].map(([, parent = ""]) => parent),
    isRestored: message === dayMessage,
  };
}

/** Names the days, so that the next save can tell their commits without fetching the states. */
export function tipMessage(days: readonly Day[]): string {
  const lines = days.map(({ at, tree }) => `${isoTimestamp(at * 1000).slice(0, 19)}Z ${tree}\n`);
  return `mirrorfeed state\n\n[skip ci]\n${lines.length > 0 ? `\nEarlier days:\n${lines.join("")}` : ""}`;
}

/** The text of a day's commit, in Git's format. Since all of it is known, so is the commit's id. */
export function dayCommit({ at, tree }: Day): string {
  return `tree ${tree}\nauthor ${stamp(at)}\ncommitter ${stamp(at)}\n\n${dayMessage}`;
}

/** `at` is in seconds. */
export function stamp(at: number): string {
  return `${committer} ${at} +0000`;
}

/** Returns the days to keep, newest first, when a state of the time `at` (in seconds) replaces the tip. */
export function daysAfter({ tree, at: tipAt, days }: TipCommit, at: number): Day[] {
  const dayOf = (day: number): number => Math.floor((day * 1000) / dayMs);
  const byDay = new Map<number, Day>();
  for (const day of [{ at: tipAt, tree }, ...days]) {
    if (dayOf(day.at) !== dayOf(at) && !byDay.has(dayOf(day.at))) byDay.set(dayOf(day.at), day);
  }
  return [...byDay.values()].slice(0, daysKept - 1);
}
