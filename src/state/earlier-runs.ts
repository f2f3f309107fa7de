import type { ProbeRun } from "../probe/probe-all.ts";
import { incomplete } from "./freshness.ts";
import type { State } from "./schema.ts";

type EarlierRuns = Required<Pick<ProbeRun, "silent" | "incomplete" | "references" | "familiesCheckedAt">>;

export function earlierRuns({
  nodes = {},
  hosts = {},
  references = {},
  vantages = {},
}: Partial<State> = {}): EarlierRuns {
  const tallies = Object.values(vantages).flatMap((vantage) => Object.entries(vantage.nodes));
  const newest = Object.entries(references).flatMap(([place, { revisions, contents }]) => {
    const [revision] = revisions.at(-1) ?? [];
    return revision === undefined ? [] : [[place, { revision, index: contents?.[revision]?.index }] as const];
  });
  return {
    silent: new Set(tallies.flatMap(([id, { code }]) => (code === "timeout" ? [Number(id)] : []))),
    incomplete: new Set(
      Object.entries(nodes).flatMap(([id, node]) => (incomplete.has(node.content_code) ? [Number(id)] : [])),
    ),
    references: new Map(newest),
    familiesCheckedAt: new Map(Object.entries(hosts).map(([host, { at }]) => [host, at])),
  };
}
