import { countsUntil, newestPeriod } from "./counts.ts";
import type { NotTimes, StateDocument } from "./document.ts";
import type { Round } from "./round.ts";
import type { NodeTally, State } from "./state-schema.ts";
import { dayMs, hourMs } from "../base/text/duration.ts";

/** How far apart correct clocks can be, in milliseconds. */
export const clockToleranceMs = 5 * 60_000;

function isAhead(timestamp: number, now: number): boolean {
  return timestamp > now + clockToleranceMs;
}

/**
 * If a round comes from a clock that is ahead, sets the time of the round to `now` (epoch milliseconds). The
 * observations of such a round are still correct.
 */
export function withoutClockAhead(round: Round, now: number): Round {
  return isAhead(round.at, now) ? { ...round, at: now } : round;
}

const ofNode: NotTimes = {
  ...{ status: true, http_status: true, streak: true, difference: true },
  ...{ tls_expires_at: true, content_at: true, apart_date: true },
  proof: { failed: true, timed_out: true },
  transitions: { "*": { 1: true } },
  changes: { "*": { 2: true } },
};
const ofReference: NotTimes = { versions: { "*": { date: true, index: true } } };

/** Counts, ids, and times reported by mirrors. */
const notTimes: NotTimes = {
  schema: true,
  nodes: { "*": ofNode },
  references: { "*": ofReference },
  former: {
    nodes: { "*": { node: ofNode } },
    references: { "*": { reference: ofReference } },
    last_id: true,
  },
  incidents: { "*": { outages: { "*": { 0: true } }, gone: true } },
};

/**
 * Removes runs that a wrong clock dated after `now` (epoch milliseconds), and replaces all times that are later
 * than the last correct run with the time of that run. Otherwise, new runs with a correct clock would count as late and change
 * nothing. Verdicts stay. Returns the same object if no time is ahead.
 */
export function withoutRunsAhead<Whole extends State>(
  state: Whole,
  now: number,
  document: Pick<StateDocument<Whole>, "notTimes" | "withoutWaits">,
): Whole {
  const excluded = { ...notTimes, ...document.notTimes };
  if (!isAhead(newestTime(state, excluded), now)) return state;
  const corrected = structuredClone(state);
  corrected.runs = corrected.runs.filter(([, at]) => !isAhead(at, now));
  const last = corrected.runs.at(-1)?.[1] ?? now;
  for (const vantage of Object.values(corrected.vantages)) {
    const times = vantage.times.filter((time) => time <= last);
    vantage.times = times.length === 0 ? [last] : times;
  }
  for (const tally of allTallies(corrected)) {
    tally.hours = countsUntil(tally.hours, Math.floor(last / hourMs));
    tally.days = countsUntil(tally.days, Math.floor(last / dayMs));
  }
  visitTimes(corrected, excluded, (time, owner, key) => {
    if (time > last) Reflect.set(owner, key, last);
  });
  return document.withoutWaits?.(corrected) ?? corrected;
}

/** Returns the newest time in the state, including the starts of hours and days with counts. */
function newestTime(state: State, excluded: NotTimes): number {
  let newest = 0;
  visitTimes(state, excluded, (time) => (newest = Math.max(newest, time)));
  for (const { hours, days } of allTallies(state))
    newest = Math.max(newest, newestPeriod(hours) * hourMs, newestPeriod(days) * dayMs);
  return newest;
}

function allTallies({ vantages, former }: State): NodeTally[] {
  const formerNodes = Object.values(former?.nodes ?? {});
  return [
    ...Object.values(vantages).flatMap(({ nodes }) => Object.values(nodes)),
    ...formerNodes.flatMap(({ tallies }) => Object.values(tallies)),
  ];
}

function visitTimes(
  owner: object,
  excluded: NotTimes,
  visit: (time: number, owner: object, key: string) => void,
): void {
  const parts: [string, unknown][] = Object.entries(owner);
  for (const [key, part] of parts) {
    const inside = excluded["*"] ?? excluded[key] ?? {};
    if (inside === true) continue;
    if (typeof part === "number") visit(part, owner, key);
    else if (typeof part === "object" && part !== null) visitTimes(part, inside, visit);
  }
}
