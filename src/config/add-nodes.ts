import { InputError } from "../errors.ts";
import { quote } from "../text/quote.ts";
import { type Append, editJson, type SetProperty } from "./edit.ts";
import type { JsonPath } from "./json.ts";
import { nameProblem } from "../text/name.ts";
import { listNodes, nodeName } from "./nodes.ts";
import type { Config, Target } from "./schema.ts";
import { urlProblem, urlKey } from "../text/url.ts";
import { validateConfig } from "./validate.ts";

/** A target, by its names. */
export interface Place {
  readonly system: string;
  readonly project: string;
  readonly target: string;
}

/** What is to be added: one node for each url. */
export interface Addition extends Place {
  readonly urls: readonly string[];
  /** The label of the node, which then is the only one. */
  readonly name?: string | undefined;
  /** Whether the first of the nodes becomes the primary of its target. */
  readonly primary?: boolean | undefined;
}

/** A text with nodes more than before. */
export interface Edited {
  readonly text: string;
  readonly nodes: readonly { readonly id: number; readonly name: string; readonly url: string }[];
  /** The levels that were not there before. */
  readonly created: readonly (keyof Place)[];
  /** The primary of the target, and the one it had before. */
  readonly primary: number | undefined;
  readonly formerPrimary: number | undefined;
  /** Whether private addresses are probed. */
  readonly allowPrivate: boolean;
}

interface Insertion {
  readonly path: JsonPath;
  readonly items: readonly object[];
  readonly created: readonly (keyof Place)[];
  /** The target as it is, if it is there. */
  readonly target?: Target | undefined;
}

/**
 * The target in `system/project/target`. Throws InputError where the text is none, or has a name that none may have.
 */
export function parsePlace(text: string): Place {
  const [system, project, target, ...more] = text.split("/");
  if (system === undefined || project === undefined || target === undefined || more.length > 0)
    throw new InputError(`${quote(text)} is not a target; write it as system/project/target.`);
  const problems = Object.entries({ system, project, target }).flatMap(([level, name]) => {
    const problem = nameProblem(name);
    return problem === undefined ? [] : [`The ${level} in ${quote(text)}: ${problem}.`];
  });
  if (problems.length > 0) throw new InputError(problems.join("\n"));
  return { system, project, target };
}

/**
 * A text of mirrors.json with these nodes added, and every other byte of it as it was: new nodes are written as their
 * neighbours are, levels that are missing are made, ids are those after the greatest. `file` is its name in messages.
 * Throws InputError where the text is not right, or would not be with them.
 */
export function addNodes(text: string, file: string, addition: Addition): Edited {
  const config = validateConfig(text, file);
  refuseUrls(addition);
  const firstId = nextId(config, file, addition.urls.length);
  const network = addition.urls.map((url, index) => ({
    id: firstId + index,
    ...(addition.name === undefined ? {} : { name: addition.name }),
    url,
  }));
  const primary = addition.primary === true ? firstId : undefined;
  const { path, items, created, target } = findInsertion(config, addition, network, primary);
  if (target !== undefined) refuseKnown(target, addition);
  const changes: (Append | SetProperty)[] = [{ kind: "append", path, items }];
  if (target !== undefined && primary !== undefined)
    changes.push({ kind: "set", path: path.slice(0, -1), key: "primary", value: primary, after: "target" });
  const edited = editJson(text, changes);
  validateConfig(edited, `${file} with ${network.length === 1 ? "this node" : "these nodes"} added`);
  return {
    text: edited,
    nodes: network.map(({ id, url }) => ({ id, name: addition.name ?? nodeName(url), url })),
    created,
    primary: primary ?? target?.primary,
    formerPrimary: target?.primary,
    allowPrivate: config.probe.allowPrivate,
  };
}

function refuseUrls({ urls, name }: Addition): void {
  const problems = urls.flatMap((url, index) => {
    const which = urls.length === 1 ? "The url" : `Url ${index + 1}`;
    const problem = urlProblem(url);
    if (problem !== undefined) return [`${which} ${problem}.`];
    const first = urls.findIndex((other) => urlKey(other) === urlKey(url));
    return first < index ? [`${which} ${quote(url)} is the same as url ${first + 1}; leave it out.`] : [];
  });
  if (urls.length === 0) problems.push("There is no url to add; give one or more.");
  if (name !== undefined && urls.length > 1)
    problems.push("A name is of one node, and there are more urls; add them one by one.");
  if (problems.length > 0) throw new InputError(problems.join("\n"));
}

function refuseKnown({ network }: Target, { system, project, target, urls }: Addition): void {
  const problems = urls.flatMap((url) => {
    const known = network.find((node) => urlKey(node.url) === urlKey(url));
    return known === undefined
      ? []
      : [`${quote(url)} is already node ${known.id} of ${system}/${project}/${target}; leave it out.`];
  });
  if (problems.length > 0) throw new InputError(problems.join("\n"));
}

/**
 * Never one in a gap: it may be that of a node that is gone, which readers remember. The id of the highest node may be
 * given again after that was removed: the state knows the URL of each id, and starts anew with another one.
 */
function nextId(config: Config, file: string, count: number): number {
  const greatest = listNodes(config).reduce((max, { id }) => Math.max(max, id), 0);
  if (Number.isSafeInteger(greatest + count)) return greatest + 1;
  throw new InputError(
    `${file} has the id ${greatest}, which leaves none above it; give that node a smaller one.`,
  );
}

/** Where the deepest level stands that is there, and what goes below it. */
function findInsertion(
  { systems }: Config,
  place: Place,
  network: readonly object[],
  primary: number | undefined,
): Insertion {
  const newTarget = { target: place.target, ...(primary === undefined ? {} : { primary }), network };
  const newProject = { project: place.project, targets: [newTarget] };
  const s = systems.findIndex(({ system }) => system === place.system);
  const projects = systems[s]?.projects;
  if (projects === undefined) {
    const newSystem = { system: place.system, projects: [newProject] };
    return { path: ["systems"], items: [newSystem], created: ["system", "project", "target"] };
  }
  const p = projects.findIndex(({ project }) => project === place.project);
  const targets = projects[p]?.targets;
  const pathOfProjects = ["systems", s, "projects"];
  if (targets === undefined)
    return { path: pathOfProjects, items: [newProject], created: ["project", "target"] };
  const t = targets.findIndex(({ target }) => target === place.target);
  const target = targets[t];
  const pathOfTargets = [...pathOfProjects, p, "targets"];
  if (target === undefined) return { path: pathOfTargets, items: [newTarget], created: ["target"] };
  return { path: [...pathOfTargets, t, "network"], items: network, created: [], target };
}
