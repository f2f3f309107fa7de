import { type FeedNames, networkRoot, type Place, placesOf } from "../hosts/contract.ts";
import { quote } from "../text/quote.ts";
import type { NodeDocument } from "../render/network.ts";
import {
  type Difference,
  differenceOf,
  differenceOfNodes,
  differenceOfPlaces,
  differenceOfTargets,
  firstOf,
  missingNode,
} from "./difference.ts";
import type { FeedDocument } from "./document.ts";
import type { CasePlan } from "./plan.ts";
import type { Finding, Rule } from "./severity.ts";

/** The comparison of documents that could be read. */
export interface ConsistencyCase {
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly findings: readonly Finding[];
}

/** The documents that could be read, by their request targets without the slash at the end. */
export type Documents = ReadonlyMap<string, FeedDocument>;

const list = `/${networkRoot}`;

/** Returns whether the documents of the sample agree. A broken document is left out, since it has its own case. */
export function checkConsistency(plan: CasePlan, documents: Documents, own: boolean): ConsistencyCase[] {
  return [
    ...(own && plan.given ? checkList(plan.feed, documents) : []),
    ...placesOf(plan.sample).flatMap((place) =>
      place.level === "target"
        ? checkPartition(place.place, documents, own)
        : checkWhole(place, plan, documents, own),
    ),
    ...checkIds(plan, documents),
  ];
}

function checkList(feed: FeedNames, documents: Documents): ConsistencyCase[] {
  const document = documents.get(list);
  if (document === undefined) return [];
  const names = feed.map(({ system }) => system);
  const difference = differenceOf("systems", names, document.systems, quote, quote);
  return [consistencyCase("systems", list, "lists the systems of the configuration", difference)];
}

/** Compares the document of a system or a project with those of its projects or targets. */
function checkWhole(
  { level, place, below }: Place,
  { feed, given }: CasePlan,
  documents: Documents,
  own: boolean,
): ConsistencyCase[] {
  const path = `${list}/${place}`;
  const whole = documents.get(path);
  const parts = below.flatMap((part) => {
    const document = documents.get(`${list}/${part}`);
    return document === undefined ? [] : [[part, document] as const];
  });
  if (whole === undefined || parts.length === 0) return [];
  const compare = level === "system" ? differenceOfProject : differenceOfTarget;
  const difference = own
    ? ((given ? differenceOfPlaces(path, targetsBelow(feed, place), whole.targets) : undefined) ??
      firstOf(parts, ([part, document]) => compare(part, document, whole)))
    : firstOf(parts, ([part, document]) => missingNode(document, whole, part));
  const title = level === "system" ? "equals its projects" : "equals its targets";
  return [consistencyCase(level, path, title, difference)];
}

function differenceOfProject(
  place: string,
  { targets }: FeedDocument,
  whole: FeedDocument,
): Difference | undefined {
  const inside = whole.targets.filter((target) => target.place.startsWith(`${place}/`));
  return differenceOfTargets(targets, inside, `${list}/${place}`);
}

function differenceOfTarget(
  place: string,
  { nodes }: FeedDocument,
  whole: FeedDocument,
): Difference | undefined {
  const inside = whole.targets.find((target) => target.place === place);
  return inside === undefined
    ? { expected: `${place}, as at ${list}/${place}`, actual: "no such target" }
    : differenceOfNodes(place, nodes, inside.network);
}

function checkPartition(target: string, documents: Documents, own: boolean): ConsistencyCase[] {
  const path = `${list}/${target}`;
  const whole = documents.get(path)?.nodes;
  const filters = ([0, 1] as const).flatMap((status) => {
    const filter = documents.get(`${path}/${status}`)?.nodes;
    return filter === undefined ? [] : [{ status, filter }];
  });
  if (whole === undefined || filters.length < 2) return [];
  // Only mirrorfeed promises the order of the nodes.
  const ordered = (nodes: readonly NodeDocument[]): readonly NodeDocument[] =>
    own ? nodes : nodes.toSorted((left, right) => left.id - right.id);
  const difference = firstOf(filters, ({ status, filter }) => {
    const expected = whole.filter((node) => node.status === status);
    return differenceOfNodes(`${target}/${status}`, ordered(expected), ordered(filter));
  });
  return [consistencyCase("partition", path, "is divided by its two filters", difference)];
}

function checkIds({ sample }: CasePlan, documents: Documents): ConsistencyCase[] {
  const nodes = sample.flatMap((system) => {
    const whole = documents.get(`${list}/${system.system}`);
    if (whole !== undefined) return whole.nodes;
    const targets = placesOf([system]).filter(({ level }) => level === "target");
    return targets.flatMap(({ place }) => documents.get(`${list}/${place}`)?.nodes ?? []);
  });
  if (nodes.length === 0) return [];
  const nodesById = new Map<number, NodeDocument>();
  const difference = firstOf(nodes, (node) => {
    const first = nodesById.get(node.id);
    nodesById.set(node.id, node);
    if (first === undefined) return undefined;
    return {
      expected: "each id once",
      actual: `id ${node.id} of ${quote(first.url)} and of ${quote(node.url)}`,
    };
  });
  return [consistencyCase("ids", list, "each id is that of one node", difference)];
}

function consistencyCase(
  kind: "systems" | Place["level"] | "partition" | "ids",
  path: string,
  title: string,
  difference: Difference | undefined,
): ConsistencyCase {
  const rule: Rule = kind === "ids" ? "ids" : "consistency";
  const findings = difference === undefined ? [] : [{ rule, ...difference }];
  return { id: `${kind} ${path}`, title: `${path} ${title}`, path, findings };
}

/** Returns the places of all targets below a place. */
function targetsBelow(feed: FeedNames, above: string): string[] {
  return placesOf(feed)
    .filter(({ level, place }) => level === "target" && place.startsWith(`${above}/`))
    .map(({ place }) => place);
}
