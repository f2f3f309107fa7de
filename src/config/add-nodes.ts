import { InputError } from "../base/errors.ts";
import { quote } from "../base/text/quote.ts";
import { appendItems, setProperty } from "./edit.ts";
import type { JsonPath } from "./json.ts";
import { nameProblem } from "../base/text/name.ts";
import { listNodes, nodeName, type TargetNames } from "./nodes.ts";
import type { Config, Override, Target } from "./schema.ts";
import { urlProblem, urlKey } from "../base/text/url.ts";
import { validateConfig } from "./validate.ts";

/** The nodes to add to a target: one for each URL. */
export interface Addition extends TargetNames {
  readonly urls: readonly string[];
  /** The label of the node. Needs a single URL. */
  readonly name?: string | undefined;
  /** The labels of nodes by their URLs. */
  readonly names?: ReadonlyMap<string, string> | undefined;
  /** Whether the first of these nodes becomes the primary of the target. */
  readonly primary?: boolean | undefined;
  /** The probe settings of the target, if it is new. */
  readonly probe?: Override | undefined;
}

/** The new text of mirrors.json, and what is new in it. */
export interface AddedNodes {
  readonly text: string;
  readonly nodes: readonly { readonly id: number; readonly name: string; readonly url: string }[];
  /** The levels that are new. */
  readonly created: readonly (keyof TargetNames)[];
  /** The ids of the target's primary now and before. */
  readonly primary: number | undefined;
  readonly formerPrimary: number | undefined;
  /** Whether mirrorfeed probes private addresses. */
  readonly allowPrivate: boolean;
}

interface Insertion {
  readonly path: JsonPath;
  readonly items: readonly object[];
  readonly created: readonly (keyof TargetNames)[];
  /** The target before the change, if it exists. */
  readonly target?: Target | undefined;
}

/** Returns the names in a text such as `system/project/target`. Throws InputError if it is not three valid names. */
export function parseTargetNames(text: string): TargetNames {
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
 * Returns a text of mirrors.json with these nodes added, in its indentation, and every other value unchanged. New nodes have
 * the ids after the greatest one. Missing levels are created. `file` is the name in messages. Throws InputError if the text is
 * not valid before or after the change.
 */
export function addNodes(text: string, file: string, addition: Addition): AddedNodes {
  const config = validateConfig(text, file);
  refuseInvalidUrls(addition);
  const firstId = nextId(config, file, addition.urls.length);
  const network = addition.urls.map((url, index) => {
    const name = addition.name ?? addition.names?.get(url);
    return { id: firstId + index, ...(name === undefined ? {} : { name }), url };
  });
  const primary = addition.primary === true ? firstId : undefined;
  const { path, items, created, target } = findInsertion(config, addition, network, primary);
  if (target !== undefined) refuseKnownUrls(target, addition);
  const appended = appendItems(text, path, items);
  const edited =
    target === undefined || primary === undefined
      ? appended
      : setProperty(appended, [...path.slice(0, -1), "primary"], primary, "target");
  validateConfig(edited, `${file} with ${network.length === 1 ? "this node" : "these nodes"} added`);
  return {
    text: edited,
    nodes: network.map(({ id, url, name = nodeName(url) }) => ({ id, name, url })),
    created,
    primary: primary ?? target?.primary,
    formerPrimary: target?.primary,
    allowPrivate: config.probe.allowPrivate,
  };
}

function refuseInvalidUrls({ urls, name }: Addition): void {
  const firsts = new Map<string, number>();
  const problems = urls.flatMap((url, index) => {
    const which = urls.length === 1 ? "The mirror" : `Mirror ${index + 1}`;
    const first = firsts.get(urlKey(url));
    if (first === undefined) firsts.set(urlKey(url), index);
    const problem = urlProblem(url);
    if (problem !== undefined) return [`${which} ${problem}.`];
    if (first === undefined) return [];
    return [`${which} ${quote(url)} is the same as mirror ${first + 1}; leave it out.`];
  });
  if (urls.length === 0) problems.push("There is no URL to add; give one or more.");
  if (name !== undefined && urls.length > 1)
    problems.push(`A name is for one node, but there are ${urls.length} URLs; add them one by one.`);
  if (problems.length > 0) throw new InputError(problems.join("\n"));
}

function refuseKnownUrls({ network }: Target, { system, project, target, urls }: Addition): void {
  const nodes = new Map(network.map((node) => [urlKey(node.url), node]));
  const problems = urls.flatMap((url) => {
    const known = nodes.get(urlKey(url));
    return known === undefined
      ? []
      : [`${quote(url)} is already node ${known.id} of ${system}/${project}/${target}; leave it out.`];
  });
  if (problems.length > 0) throw new InputError(problems.join("\n"));
}

/**
 * Returns the id after the greatest one. An id in a gap may be that of a removed node, which readers remember. The
 * greatest id may return after its node was removed: the state knows the URL of each id, and starts anew with another.
 */
function nextId(config: Config, file: string, count: number): number {
  const greatest = listNodes(config).reduce((max, { id }) => Math.max(max, id), 0);
  if (Number.isSafeInteger(greatest + count)) return greatest + 1;
  throw new InputError(
    `${file} has the id ${greatest}, and there is none left above it; give that node a smaller id.`,
  );
}

/** Returns the path of the deepest list that exists, and what to append to it. */
function findInsertion(
  { systems }: Config,
  names: Addition,
  network: readonly object[],
  primary: number | undefined,
): Insertion {
  const newTarget = {
    target: names.target,
    ...(primary === undefined ? {} : { primary }),
    ...(names.probe === undefined ? {} : { probe: names.probe }),
    network,
  };
  const newProject = { project: names.project, targets: [newTarget] };
  const s = systems.findIndex(({ system }) => system === names.system);
  const projects = systems[s]?.projects;
  if (projects === undefined) {
    const newSystem = { system: names.system, projects: [newProject] };
    return { path: ["systems"], items: [newSystem], created: ["system", "project", "target"] };
  }
  const p = projects.findIndex(({ project }) => project === names.project);
  const targets = projects[p]?.targets;
  const pathOfProjects = ["systems", s, "projects"];
  if (targets === undefined)
    return { path: pathOfProjects, items: [newProject], created: ["project", "target"] };
  const t = targets.findIndex(({ target }) => target === names.target);
  const target = targets[t];
  const pathOfTargets = [...pathOfProjects, p, "targets"];
  if (target === undefined) return { path: pathOfTargets, items: [newTarget], created: ["target"] };
  return { path: [...pathOfTargets, t, "network"], items: network, created: [], target };
}
