import { countsUntil, dayMs, hourMs, newestPeriod } from "./counts.ts";
import type { Round } from "./round.ts";
import type { State } from "./schema.ts";

/** How far correct clocks may differ, in milliseconds. */
export const clockToleranceMs = 5 * 60_000;

function isAhead(timestamp: number, now: number): boolean {
  return timestamp > now + clockToleranceMs;
}

/**
 * Returns the round as of `now` (epoch milliseconds) if its clock is ahead: its observations are right nevertheless.
 */
export function withoutClockAhead(round: Round, now: number): Round {
  return isAhead(round.at, now) ? { ...round, at: now } : round;
}

/** Marks the numbers that are not times of this machine's clock, by their keys. `*` is every key. */
interface NotTimes {
  readonly [key: string]: NotTimes | true;
}

/** Counts, ids, times from mirrors, and the next attempt, which may be ahead. All other numbers are times. */
const notTimes: NotTimes = {
  schema: true,
  nodes: {
    "*": {
      ...{ status: true, http_status: true, streak: true, difference: true },
      ...{ tls_expires_at: true, content_at: true },
      transitions: { "*": { 1: true } },
      changes: { "*": { 2: true } },
    },
  },
  references: { "*": { contents: true } },
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
 * Returns the state without runs after `now` (epoch milliseconds), which come from a wrong clock, and with no later
 * time. Otherwise every right run would be late and change nothing. The verdicts stay. What happened in those runs
 * counts as of the last right one. Returns the state itself if no time is ahead.
 */
export function withoutRunsAhead(state: State, now: number): State {
  if (!isAhead(newestTime(state), now)) return state;
  const right = structuredClone(state);
  right.runs = right.runs.filter(([, at]) => !isAhead(at, now));
  const last = right.runs.at(-1)?.[1] ?? now;
  for (const vantage of Object.values(right.vantages)) {
    const times = vantage.times.filter((time) => time <= last);
    vantage.times = times.length === 0 ? [last] : times;
    for (const tally of Object.values(vantage.nodes)) {
      tally.hours = countsUntil(tally.hours, Math.floor(last / hourMs));
      tally.days = countsUntil(tally.days, Math.floor(last / dayMs));
    }
  }
  if (right.notifications !== undefined) {
    right.notifications.hours = undefined;
    for (const message of Object.values(right.notifications.outbox)) message.next = undefined;
  }
  visitTimes(right, (time, owner, key) => {
    if (time > last) Reflect.set(owner, key, last);
  });
  return right;
}

/** Returns the newest time in a state, or the start of the newest hour or day with counts. */
function newestTime(state: State): number {
  let newest = 0;
  visitTimes(state, (time) => (newest = Math.max(newest, time)));
  for (const { nodes } of Object.values(state.vantages)) {
    for (const { hours, days } of Object.values(nodes))
      newest = Math.max(newest, newestPeriod(hours) * hourMs, newestPeriod(days) * dayMs);
  }
  return newest;
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
