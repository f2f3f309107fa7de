import { countsUntil, dayMs, hourMs, newestPeriod } from "./counts.ts";
import { type State, stateSchema } from "./document.ts";
import { mapValues } from "./map-values.ts";
import type { Round } from "./round.ts";

/** How much right clocks may differ, in milliseconds. */
export const clockToleranceMs = 5 * 60_000;

/**
 * Returns the round as of `now` (epoch milliseconds) if its clock is ahead: the observations are right, only the time
 * is wrong. Otherwise returns the round itself.
 */
export function withoutClockAhead(round: Round, now: number): Round {
  return isAhead(round.at, now) ? { ...round, at: now } : round;
}

/** Marks the numbers of a value that are not times of this machine's clock, by their keys. `*` is every key. */
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
  incidents: { "*": { outages: { "*": { 0: true } }, gone: true } },
  notifications: {
    events: { "*": { nodes: true } },
    outbox: { "*": { attempts: true, next: true } },
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
  const runs = state.runs.filter(([, at]) => !isAhead(at, now));
  const last = runs.at(-1)?.[1] ?? now;
  const vantages = mapValues(state.vantages, ({ times, nodes }) => {
    const right = times.filter((time) => time <= last);
    return {
      times: right.length === 0 ? [last] : right,
      nodes: mapValues(nodes, (tally) => ({
        ...tally,
        hours: countsUntil(tally.hours, Math.floor(last / hourMs)),
        days: countsUntil(tally.days, Math.floor(last / dayMs)),
      })),
    };
  });
  const notifications = state.notifications && {
    ...state.notifications,
    outbox: mapValues(state.notifications.outbox, (message) => ({ ...message, next: undefined })),
  };
  const right = mapTimes({ ...state, runs, notifications, vantages }, (time) => Math.min(time, last));
  return stateSchema.parse(right);
}

/** Returns the newest time in a state, or the start of the newest hour or day with counts. */
function newestTime(state: State): number {
  let newest = 0;
  const look = (time: number): number => {
    newest = Math.max(newest, time);
    return time;
  };
  mapTimes(state, look);
  for (const { nodes } of Object.values(state.vantages)) {
    for (const { hours, days } of Object.values(nodes)) {
      look(newestPeriod(hours) * hourMs);
      look(newestPeriod(days) * dayMs);
    }
  }
  return newest;
}

/** Returns a copy of a state, or of a part of it, with changed times. */
function mapTimes(
  value: unknown,
  change: (time: number) => number,
  kept: NotTimes | true = notTimes,
): unknown {
  if (kept === true || value === null) return value;
  if (typeof value === "number") return change(value);
  if (typeof value !== "object") return value;
  const parts: [string, unknown][] = Object.entries(value);
  const changed = parts.map(([key, part]): [string, unknown] => [
    key,
    mapTimes(part, change, kept["*"] ?? kept[key] ?? {}),
  ]);
  return Array.isArray(value) ? changed.map(([, part]) => part) : Object.fromEntries(changed);
}

function isAhead(timestamp: number, now: number): boolean {
  return timestamp > now + clockToleranceMs;
}
