import { type FeedNames, networkRoot } from "../hosts/contract.ts";
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
    ...plan.sample.flatMap(({ system, projects }) => [
      ...checkSystem(system, projects, plan, documents, own),
      ...projects.flatMap(({ project, targets }) => [
        ...checkProject(`${system}/${project}`, targets, plan, documents, own),
        ...targets.flatMap(({ target }) => checkPartition(`${system}/${project}/${target}`, documents, own)),
      ]),
    ]),
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

function checkSystem(
  system: string,
  projects: FeedNames[number]["projects"],
  { feed, given }: CasePlan,
  documents: Documents,
  own: boolean,
): ConsistencyCase[] {
  const path = `${list}/${system}`;
  const document = documents.get(path);
  const parts = projects.flatMap(({ project }) => partAt(`${system}/${project}`, documents));
  if (document === undefined || parts.length === 0) return [];
  const difference = own
    ? ((given ? differenceOfPlaces(path, placesBelow(feed, system), document.targets) : undefined) ??
      firstOf(parts, ({ place, part }) => {
        const inside = document.targets.filter((target) => target.place.startsWith(`${place}/`));
        return differenceOfTargets(part.targets, inside, `${list}/${place}`);
      }))
    : firstOf(parts, ({ place, part }) => missingNode(part, document, place));
  return [consistencyCase("system", path, "equals its projects", difference)];
}

function checkProject(
  project: string,
  targets: readonly { readonly target: string }[],
  { feed, given }: CasePlan,
  documents: Documents,
  own: boolean,
): ConsistencyCase[] {
  const path = `${list}/${project}`;
  const document = documents.get(path);
  const parts = targets.flatMap(({ target }) => partAt(`${project}/${target}`, documents));
  if (document === undefined || parts.length === 0) return [];
  const difference = own
    ? ((given ? differenceOfPlaces(path, placesBelow(feed, project), document.targets) : undefined) ??
      firstOf(parts, ({ place, part }) => {
        const inside = document.targets.find((target) => target.place === place);
        return inside === undefined
          ? { expected: `${place}, as at ${list}/${place}`, actual: "no such target" }
          : differenceOfNodes(place, part.nodes, inside.network);
      }))
    : firstOf(parts, ({ place, part }) => missingNode(part, document, place));
  return [consistencyCase("project", path, "equals its targets", difference)];
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
  const nodes = sample.flatMap(({ system, projects }) => {
    const whole = documents.get(`${list}/${system}`);
    if (whole !== undefined) return whole.nodes;
    return projects.flatMap(({ project, targets }) =>
      targets.flatMap(({ target }) => documents.get(`${list}/${system}/${project}/${target}`)?.nodes ?? []),
    );
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
  kind: "systems" | "system" | "project" | "partition" | "ids",
  path: string,
  title: string,
  difference: Difference | undefined,
): ConsistencyCase {
  const rule: Rule = kind === "ids" ? "ids" : "consistency";
  const findings = difference === undefined ? [] : [{ rule, ...difference }];
  return { id: `${kind} ${path}`, title: `${path} ${title}`, path, findings };
}

function partAt(place: string, documents: Documents): { place: string; part: FeedDocument }[] {
  const part = documents.get(`${list}/${place}`);
  return part === undefined ? [] : [{ place, part }];
}

/** Returns the places of all targets below a system or a project. */
function placesBelow(feed: FeedNames, above: string): string[] {
  return feed.flatMap(({ system, projects }) =>
    projects.flatMap(({ project, targets }) =>
      targets
        .map(({ target }) => `${system}/${project}/${target}`)
        .filter((place) => place.startsWith(`${above}/`)),
    ),
  );
}
