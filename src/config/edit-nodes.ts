import { InputError } from "../base/errors.ts";
import { nameProblem } from "../base/text/name.ts";
import { quote } from "../base/text/quote.ts";
import { urlKey, urlProblem } from "../base/text/url.ts";
import { appendItems, removeItems, setProperty } from "./edit.ts";
import type { JsonPath } from "./json.ts";
import { listNodes, listTargets, nodeName, type NodeSettings, type TargetNames } from "./nodes.ts";
import type { Config, Override, Target } from "./schema.ts";
import { validateConfig } from "./validate.ts";

export interface Addition extends TargetNames {
  readonly urls: readonly string[];
  readonly name?: string | undefined;
  readonly names?: ReadonlyMap<string, string | undefined> | undefined;
  /** Whether the first of these nodes becomes the primary of the target. */
  readonly primary?: boolean | undefined;
  readonly probe?: Override | undefined;
}

interface EditedNode {
  readonly id: number;
  readonly name: string;
  readonly url: string;
}

export interface AddedNodes {
  readonly text: string;
  readonly config: Config;
  readonly nodes: readonly EditedNode[];
  /** The levels that are new. */
  readonly created: readonly (keyof TargetNames)[];
  readonly primary: number | undefined;
  readonly formerPrimary: number | undefined;
}

export interface MirrorsToMerge extends TargetNames {
  readonly mirrors: readonly { readonly url: string; readonly name: string | undefined }[];
  /** How the mirrors are probed if the target is new; undefined for the settings of the levels above it. */
  readonly probe: Override | undefined;
  readonly isRemoving: boolean;
}

export interface MergedNodes extends Pick<AddedNodes, "text" | "config" | "created"> {
  /** How the first node of the target is probed. */
  readonly settings: NodeSettings | undefined;
  readonly added: readonly EditedNode[];
  /** How many of the mirrors were there. */
  readonly known: number;
  /** The nodes that are not among the mirrors, and whether they are removed. */
  readonly missing: readonly EditedNode[];
  readonly isRemoved: boolean;
}

/** Returns the names in a text such as `system/project/target`. Throws InputError if it is not three valid names. */
export function parseTargetNames(text: string): TargetNames {
  const [system, project, target, ...more] = text.split("/");
  if (system === undefined || project === undefined || target === undefined || more.length > 0)
    throw new InputError(`${quote(text)} is not a target; write it as system/project/target.`);
  refuse(
    Object.entries({ system, project, target }).flatMap(([level, name]) => {
      const problem = nameProblem(name);
      return problem === undefined ? [] : [`The ${level} in ${quote(text)}: ${problem}.`];
    }),
  );
  return { system, project, target };
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new InputError(problems.join("\n"));
}

/**
 * Adds nodes to a text of mirrors.json in its indentation, with ids after the greatest one, and creates missing levels.
 * `file` is the name in messages. Throws InputError if the text is not valid before or after the change.
 */
export function addNodes(text: string, file: string, addition: Addition): AddedNodes {
  const { urls, name, names } = addition;
  const config = validateConfig(text, file);
  refuseInvalidUrls(addition);
  const firstId = nextId(config, file, urls.length);
  const network = urls.map((url, index) => {
    const label = name ?? names?.get(url);
    return { id: firstId + index, ...(label === undefined ? {} : { name: label }), url };
  });
  const primary = addition.primary === true ? firstId : undefined;
  const { path, items, created, target } = findInsertion(config, addition, network, primary);
  if (target !== undefined) refuseKnownUrls(target, addition);
  const appended = appendItems(text, path, items);
  const edited =
    target === undefined || primary === undefined
      ? appended
      : setProperty(appended, [...path.slice(0, -1), "primary"], primary, "target");
  return {
    text: edited,
    config: validateConfig(edited, `${file} with ${urls.length === 1 ? "this node" : "these nodes"} added`),
    nodes: network.map(editedNode),
    created,
    primary: primary ?? target?.primary,
    formerPrimary: target?.primary,
  };
}

function editedNode({ id, url, name = nodeName(url) }: Target["network"][number]): EditedNode {
  return { id, name, url };
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
  refuse(problems);
}

function refuseKnownUrls({ network }: Target, { system, project, target, urls }: Addition): void {
  const nodes = new Map(network.map((node) => [urlKey(node.url), node]));
  refuse(
    urls.flatMap((url) => {
      const known = nodes.get(urlKey(url));
      return known === undefined
        ? []
        : [`${quote(url)} is already node ${known.id} of ${system}/${project}/${target}; leave it out.`];
    }),
  );
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

function findInsertion(
  { systems }: Config,
  { system, project, target, probe }: Addition,
  network: readonly object[],
  primary: number | undefined,
): {
  readonly path: JsonPath;
  readonly items: readonly object[];
  readonly created: readonly (keyof TargetNames)[];
  readonly target?: Target | undefined;
} {
  const newTarget = { target, ...(primary && { primary }), ...(probe && { probe }), network };
  const newProject = { project, targets: [newTarget] };
  const newSystem = { system, projects: [newProject] };
  const s = systems.findIndex((one) => one.system === system);
  if (s < 0) return { path: ["systems"], items: [newSystem], created: ["system", "project", "target"] };
  const projects = systems[s]?.projects ?? [];
  const p = projects.findIndex((one) => one.project === project);
  if (p < 0) return { path: ["systems", s, "projects"], items: [newProject], created: ["project", "target"] };
  const targets = projects[p]?.targets ?? [];
  const t = targets.findIndex((one) => one.target === target);
  const path = ["systems", s, "projects", p, "targets"];
  if (t < 0) return { path, items: [newTarget], created: ["target"] };
  return { path: [...path, t, "network"], items: network, created: [], target: targets[t] };
}

/**
 * Adds the mirrors that a target does not have, as `addNodes` does. A node with the same URL keeps its id, its name and
 * its settings. If nodes are removed, the ids of new ones are still after theirs.
 */
export function mergeNodes(text: string, file: string, merge: MirrorsToMerge): MergedNodes {
  const before = validateConfig(text, file);
  const place = `${merge.system}/${merge.project}/${merge.target}`;
  const listed = listTargets(before).find((one) => one.place === place);
  const network = listed?.target.network ?? [];
  const known = new Set(network.map(({ url }) => urlKey(url)));
  const wanted = new Set(merge.mirrors.map(({ url }) => urlKey(url)));
  const fresh = new Map(
    merge.mirrors.flatMap(({ url, name }) => (known.has(urlKey(url)) ? [] : [[url, name] as const])),
  );
  const missing = network.filter(({ url }) => !wanted.has(urlKey(url)));
  const isRemoved = merge.isRemoving && missing.length > 0;

  const addition = { ...merge, urls: [...fresh.keys()], names: fresh, probe: overrideOf(before, merge) };
  const added = fresh.size === 0 ? undefined : addNodes(text, file, addition);
  const { text: edited, config } = added ?? { text, config: before };
  if (isRemoved) refuseMissingPrimary(listed?.target.primary, missing, `${place} in ${file}`);
  // New nodes stand behind all of these.
  const indexes = new Set(missing.map((node) => network.indexOf(node)));
  const left =
    isRemoved && listed !== undefined ? removeItems(edited, [...listed.path, "network"], indexes) : edited;
  if (isRemoved) validateConfig(left, `${file} without the removed nodes`);
  return {
    text: left,
    config,
    created: added?.created ?? [],
    settings: listNodes(config).find((node) => node.place === place)?.settings,
    added: added?.nodes ?? [],
    known: network.length - missing.length,
    missing: missing.map(editedNode),
    isRemoved,
  };
}

/** Returns the probe settings of a new target, or undefined if they only repeat the kind of the levels above it. */
function overrideOf({ systems, probe }: Config, merge: MirrorsToMerge): Override | undefined {
  const above = systems
    .find(({ system }) => system === merge.system)
    ?.projects.find(({ project }) => project === merge.project);
  const { kind, ...options } = merge.probe ?? {};
  const isInherited = kind === (above?.probe?.kind ?? probe.kind) && Object.keys(options).length === 0;
  return isInherited ? undefined : merge.probe;
}

function refuseMissingPrimary(
  primary: number | undefined,
  missing: readonly { readonly id: number; readonly url: string }[],
  place: string,
): void {
  const node = missing.find(({ id }) => id === primary);
  if (node === undefined) return;
  throw new InputError(
    `Node ${node.id} with ${quote(node.url)} is the primary of ${place}, and the list does not have it; set another primary, or import without --remove.`,
  );
}
