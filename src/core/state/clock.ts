import { countsUntil, dayMs, hourMs, newestPeriod } from "./counts.ts";
import type { Round } from "./round.ts";
import type { NodeTally, State } from "./state-schema.ts";

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

/**
 * The paths to all numbers in a state that are not times by this machine's clock, as a tree of keys. `*` matches every
 * key.
 */
interface NotTimes {
  readonly [key: string]: NotTimes | true;
}

const ofNode: NotTimes = {
  ...{ status: true, http_status: true, streak: true, difference: true },
  ...{ tls_expires_at: true, content_at: true, apart_date: true },
  proof: { failed: true, timed_out: true },
  transitions: { "*": { 1: true } },
  changes: { "*": { 2: true } },
};
const ofReference: NotTimes = { versions: { "*": { date: true, index: true } } };

/** Counts, ids, times reported by mirrors, and times of next attempts, which may be in the future. */
const notTimes: NotTimes = {
  schema: true,
  nodes: { "*": ofNode },
  references: { "*": ofReference },
  former: {
    nodes: { "*": { node: ofNode } },
    references: { "*": { reference: ofReference } },
    last_id: true,
  },
  hosts: { "*": { "*": { streak: true } } },
  incidents: { "*": { outages: { "*": { 0: true } }, gone: true } },
  notifications: {
    events: { "*": { nodes: true, to: { "*": { renewed_runs: true } } } },
    outbox: { "*": { attempts: true, failures: true, next: true } },
    hours: true,
    dropped: { 0: true },
  },
};

/**
 * Removes runs that a wrong clock dated after `now` (epoch milliseconds), and replaces all times that are later
 * than the last correct run with the time of that run. Otherwise, new runs with a correct clock would count as late and change
 * nothing. Verdicts stay. Returns the same object if no time is ahead.
 */
export function withoutRunsAhead(state: State, now: number): State {
  if (!isAhead(newestTime(state), now)) return state;
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
  if (corrected.notifications !== undefined) {
    corrected.notifications.hours = undefined;
    for (const message of Object.values(corrected.notifications.outbox)) message.next = undefined;
  }
  visitTimes(corrected, (time, owner, key) => {
    if (time > last) Reflect.set(owner, key, last);
  });
  return corrected;
}

/** Returns the newest time in the state, including the starts of hours and days with counts. */
function newestTime(state: State): number {
  let newest = 0;
  visitTimes(state, (time) => (newest = Math.max(newest, time)));
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
  visit: (time: number, owner: object, key: string) => void,
  excluded: NotTimes = notTimes,
): void {
  const parts: [string, unknown][] = Object.entries(owner);
  for (const [key, part] of parts) {
    const inside = excluded["*"] ?? excluded[key] ?? {};
    if (inside === true) continue;
    if (typeof part === "number") visit(part, owner, key);
    else if (typeof part === "object" && part !== null) visitTimes(part, visit, inside);
  }
}
