import type { ProbeRun } from "../probe/probe-all.ts";
import type { State } from "./schema.ts";
import { incomplete } from "./freshness.ts";

/** What earlier runs know that probes use. */
type EarlierRuns = Required<Pick<ProbeRun, "silent" | "incomplete" | "references">>;

/** Returns the silent nodes, the nodes that lacked a part of their content, and the newest revision of each reference. */
export function earlierRuns({
  nodes = {},
  references = {},
  vantages = {},
}: Partial<State> = {}): EarlierRuns {
  const tallies = Object.values(vantages).flatMap((vantage) => Object.entries(vantage.nodes));
  const newest = Object.entries(references).flatMap(([place, { revisions, contents }]) => {
    const [revision] = revisions.at(-1) ?? [];
    return revision === undefined ? [] : [[place, { revision, index: contents?.[revision]?.index }] as const];
  });
  return {
    silent: idsOf(tallies.filter(([, { code }]) => code === "timeout")),
    incomplete: idsOf(Object.entries(nodes).filter(([, node]) => incomplete.has(node.content_code))),
    references: new Map(newest),
  };
}

function idsOf(entries: readonly (readonly [id: string, value: unknown])[]): Set<number> {
  return new Set(entries.map(([id]) => Number(id)));
}
