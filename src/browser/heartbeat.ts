import type { DayCount } from "../text/day-kind.ts";
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

/** What is between two nodes in the text of a heartbeat, and nowhere else. */
const separator = '},{"id":';

/**
 * Returns what the text of a heartbeat has of some mirrors, or undefined if it is none. It parses only their part of the
 * text, since a feed can have tens of thousands of mirrors and its heartbeat is read with every run.
 */
export function parseHeartbeat(text: string, ids: ReadonlySet<number>): PageHeartbeat | undefined {
  const at = /"generated_at":"([^"]*)"/.exec(text)?.[1];
  const start = text.indexOf('"nodes":[{"id":');
  if (at === undefined || start < 0) return undefined;
  const parts = text.slice(start + '"nodes":[{"id":'.length, text.lastIndexOf("}]")).split(separator);
  const wanted = parts.filter((part) => ids.has(Number.parseInt(part, 10)));
  const nodes = wanted.map((part): [number, Runs] => {
    const node: unknown = JSON.parse(`{"id":${part}}`);
    const fields = isObject(node) ? node : {};
    return [
      Number(fields["id"]),
      {
        today: countOf(fields["today"]),
        last24h: countOf(fields["last_24h"]),
        votes: votesOf(fields["votes"]),
      },
    ];
  });
  return { at, nodes: new Map(nodes) };
}

function countOf(value: unknown): DayCount {
  const { ok, failed, unobserved } = isObject(value) ? value : {};
  return { ok: Number(ok ?? 0), failed: Number(failed ?? 0), unobserved: Number(unobserved ?? 0) };
}

function votesOf(value: unknown): ReadonlyMap<string, string> {
  const votes: readonly unknown[] = Array.isArray(value) ? value : [];
  return new Map(votes.filter(isObject).map(({ vantage, code }) => [String(vantage), String(code)]));
}
