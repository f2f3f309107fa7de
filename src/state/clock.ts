import { countsUntil, dayMs, hourMs, newestPeriod } from "./counts.ts";
import type { ContentChange, State } from "./document.ts";
import type { Outage } from "./incident-document.ts";
import { mapValues } from "./map-values.ts";
import { notificationsUntil, notificationTimes } from "./notification-document.ts";
import type { RewrittenTag } from "./reference-document.ts";
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

/**
 * Returns the state without runs after `now` (epoch milliseconds), which come from a wrong clock, and with no later
 * time. Otherwise every right run would be late and change nothing. The verdicts stay. What happened in those runs
 * counts as of the last right one. Returns the state itself if no time is ahead.
 */
export function withoutRunsAhead(state: State, now: number): State {
  if (!isAnyAhead(state, now)) return state;
  const runs = state.runs.filter(([, at]) => !isAhead(at, now));
  const last = runs.at(-1)?.[1] ?? now;
  const until = (timestamp: number): number => Math.min(timestamp, last);
  const untilIfAny = (timestamp: number | undefined): number | undefined => timestamp && until(timestamp);
  return {
    schema: state.schema,
    runs,
    nodes: mapValues(state.nodes, (node) => ({
      ...node,
      since: until(node.since),
      transitions: node.transitions.map(([at, status, code]) => [until(at), status, code] as const),
      unverified_since: untilIfAny(node.unverified_since),
      behind_since: untilIfAny(node.behind_since),
      apart_since: untilIfAny(node.apart_since),
      content_since: untilIfAny(node.content_since),
      changes: node.changes?.map(([at, ...change]): ContentChange => [until(at), ...change]),
    })),
    incidents:
      state.incidents &&
      mapValues(state.incidents, (incident) => ({
        ...incident,
        start: until(incident.start),
        end: untilIfAny(incident.end),
        outages: incident.outages.map(([id, from, to]): Outage =>
          to === undefined ? [id, until(from)] : [id, until(from), until(to)],
        ),
      })),
    notifications: state.notifications && notificationsUntil(state.notifications, last),
    references: mapValues(state.references, (reference) => ({
      ...reference,
      revisions: reference.revisions.map(([revision, from]): [string, number] => [revision, until(from)]),
      sets: reference.sets?.map(([set, from]): [string, number] => [set, until(from)]),
      refs_since: untilIfAny(reference.refs_since),
      recent: reference.recent && mapValues(reference.recent, until),
      rewritten: reference.rewritten?.map(([moved, ...tag]): RewrittenTag => [until(moved), ...tag]),
    })),
    vantages: mapValues(state.vantages, ({ times, nodes }) => {
      const right = times.filter((time) => time <= last);
      return {
        times: right.length === 0 ? [last] : right,
        nodes: mapValues(nodes, ({ code, from, hours, days }) => ({
          code,
          from: untilIfAny(from),
          hours: countsUntil(hours, Math.floor(last / hourMs)),
          days: countsUntil(days, Math.floor(last / dayMs)),
        })),
      };
    }),
  };
}

/** Returns whether any time in a state is ahead, except for the expiry of certificates. */
function isAnyAhead(
  { runs, nodes, references, incidents = {}, notifications, vantages }: State,
  now: number,
): boolean {
  const newest = [
    ...runs.map(([, at]) => at),
    ...Object.values(nodes).flatMap(
      ({
        since,
        transitions,
        unverified_since = 0,
        behind_since = 0,
        apart_since = 0,
        content_since = 0,
        changes = [],
      }) => [
        ...[since, unverified_since, behind_since, apart_since, content_since],
        ...[...transitions, ...changes].map(([at]) => at),
      ],
    ),
    ...Object.values(references).flatMap(
      ({ revisions, sets = [], refs_since = 0, recent = {}, rewritten = [] }) => [
        ...[...revisions, ...sets].map(([, from]) => from),
        ...[refs_since, ...Object.values(recent)],
        ...rewritten.map(([moved]) => moved),
      ],
    ),
    ...Object.values(incidents).flatMap(({ start, end = 0, outages }) => [
      ...[start, end],
      ...outages.flatMap(([, from, to = 0]) => [from, to]),
    ]),
    ...(notifications === undefined ? [] : notificationTimes(notifications)),
    ...Object.values(vantages).flatMap(({ times, nodes: tallies }) => [
      ...times,
      ...Object.values(tallies).flatMap(({ from = 0, hours, days }) => [
        from,
        newestPeriod(hours) * hourMs,
        newestPeriod(days) * dayMs,
      ]),
    ]),
  ];
  return newest.some((timestamp) => isAhead(timestamp, now));
}

function isAhead(timestamp: number, now: number): boolean {
  return timestamp > now + clockToleranceMs;
}
