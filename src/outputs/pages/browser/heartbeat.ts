import type { DayCount } from "../../../base/text/day-kind.ts";
import { tryParseJson } from "../../../base/text/json.ts";
import { isObject } from "./report.ts";

/** The runs of a mirror that its page does not have, up to the last run. */
export interface Runs {
  readonly today: DayCount;
  readonly last24h: DayCount;
  /** The code that each vantage observed in the last run, if they do not agree. */
  readonly votes: ReadonlyMap<string, string>;
}

/** The part of a heartbeat that a page needs. */
export interface PageHeartbeat {
  /** The end of the last run (ISO 8601). */
  readonly at: string;
  readonly nodes: ReadonlyMap<number, Runs>;
}

/** Returns what the text of a heartbeat has of some mirrors, or undefined if it is none. */
export function parseHeartbeat(text: string, ids: ReadonlySet<number>): PageHeartbeat | undefined {
  const heartbeat = tryParseJson(text);
  if (!isObject(heartbeat)) return undefined;
  const { generated_at: at, nodes } = heartbeat;
  if (typeof at !== "string" || !Array.isArray(nodes)) return undefined;
  const wanted = nodes.filter(isObject).filter(({ id }) => ids.has(Number(id)));
  return { at, nodes: new Map(wanted.map((node) => [Number(node["id"]), runsOf(node)])) };
}

function runsOf({ today, last_24h: last24h, votes }: Readonly<Record<string, unknown>>): Runs {
  return { today: countOf(today), last24h: countOf(last24h), votes: votesOf(votes) };
}

function countOf(value: unknown): DayCount {
  const { ok, failed, unobserved } = isObject(value) ? value : {};
  return { ok: Number(ok ?? 0), failed: Number(failed ?? 0), unobserved: Number(unobserved ?? 0) };
}

function votesOf(value: unknown): ReadonlyMap<string, string> {
  const votes: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Map(votes.filter(isObject).map(({ vantage, code }) => [String(vantage), String(code)]));
}
