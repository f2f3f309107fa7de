import { InputError } from "../../core/base/errors.ts";
import { nameProblem } from "../../core/base/text/name.ts";
import { quote } from "../../core/base/text/quote.ts";
import { urlKey, urlProblem } from "../../core/base/text/url.ts";
import { appendItems, removeItems, setValue } from "./edit.ts";
import {
  type ListedTarget,
  listNodes,
  listTargets,
  nodeName,
  type NodeSettings,
  type TargetNames,
} from "../../core/config/nodes.ts";
import type { Config, Override, Target } from "../../core/config/config-schema.ts";
import { validateConfig } from "../../core/config/validate.ts";

export const levels = ["system", "project", "target"] as const;

/** `name` defaults to the URL's host and path. */
interface Mirror {
  readonly url: string;
  readonly name?: string | undefined;
}

export interface Addition extends TargetNames {
  readonly mirrors: readonly Mirror[];
  /** Whether the first mirror becomes the target's primary. */
  readonly primary?: boolean | undefined;
  /** Probe settings for a new target; undefined to inherit them. */
  readonly probe?: Override | undefined;
  /** The greatest id that a removed mirror had, if any is known. */
  readonly usedId?: number | undefined;
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
  readonly created: readonly (keyof TargetNames)[];
  readonly primary: number | undefined;
  readonly formerPrimary: number | undefined;
}

export interface MergedNodes extends Pick<AddedNodes, "text" | "config" | "created"> {
  /** Probe settings of the target's first node. */
  readonly settings: NodeSettings | undefined;
  readonly added: readonly EditedNode[];
  /** How many of the given mirrors the target already had. */
  readonly known: number;
  /** The nodes of the target that are not among the given mirrors. If `isRemoved` is set, these nodes were removed. */
  readonly missing: readonly EditedNode[];
  readonly isRemoved: boolean;
}

/** Parses `system/project/target`. Throws InputError unless the text consists of three valid names. */
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
  if (problems.length > 0) throw new InputError(problems);
}

/**
 * Adds nodes to the text of a mirrors.json, keeping its indentation, and creates missing levels. New ids follow the
 * greatest one. `file` is the file's name in error messages. Throws InputError if the text is invalid before
 * or after the change.
 */
export function addNodes(text: string, file: string, addition: Addition): AddedNodes {
  const { system, project, target, mirrors, probe, usedId } = addition;
  const config = validateConfig(text, file);
  const inSystem = listTargets(config).filter((one) => one.system === system);
  const inProject = inSystem.filter((one) => one.project.project === project);
  const listed = inProject.find((one) => one.target.target === target);
  refuse(mirrorProblems(mirrors, listed));
  const firstId = nextId(config, file, mirrors.length, usedId);
  const network = mirrors.map(({ url, name }, index) => {
    return { id: firstId + index, ...(name === undefined ? {} : { name }), url };
  });
  const primary = addition.primary === true ? firstId : undefined;

  const newTarget = { target, ...(primary && { primary }), ...(probe && { probe }), network };
  const newProject = { project, targets: [newTarget] };
  const insertions = [
    { list: listed && [...listed.path, "network"], items: network },
    { list: inProject[0]?.path.slice(0, -1), items: [newTarget] },
    { list: inSystem[0]?.path.slice(0, -3), items: [newProject] },
    { list: ["systems"], items: [{ system, projects: [newProject] }] },
  ];
  const newLevels = insertions.findIndex(({ list }) => list !== undefined);
  const { list = [], items = [] } = insertions[newLevels] ?? {};
  const appended = appendItems(text, list, items);
  const edited =
    listed === undefined || primary === undefined
      ? appended
      : setValue(appended, [...listed.path, "primary"], primary, "target");
  return {
    text: edited,
    config: validateConfig(
      edited,
      `${file} with ${mirrors.length === 1 ? "this mirror" : "these mirrors"} added`,
    ),
    nodes: network.map(editedNode),
    created: levels.slice(levels.length - newLevels),
    primary: primary ?? listed?.target.primary,
    formerPrimary: listed?.target.primary,
  };
}

export function editedNode({ id, url, name = nodeName(url) }: Target["network"][number]): EditedNode {
  return { id, name, url };
}

/** Returns the reasons why mirrors cannot be added. `listed` is undefined for a new target. */
function mirrorProblems(mirrors: readonly Mirror[], listed: ListedTarget | undefined): string[] {
  const taken = new Map(
    listed?.target.network.map(({ id, url }) => [
      urlKey(url),
      `already in ${listed.place}, with the id ${id}`,
    ]),
  );
  return mirrors.flatMap(({ url }, index) => {
    const which = mirrors.length === 1 ? "The mirror" : `Mirror ${index + 1}`;
    const problem = urlProblem(url);
    const taker = taken.get(urlKey(url));
    taken.set(urlKey(url), taker ?? `the same as mirror ${index + 1}`);
    if (problem !== undefined) return [`${which} ${problem}.`];
    return taker === undefined ? [] : [`${which} ${quote(url)} is ${taker}; leave it out.`];
  });
}

/** Returns the id after the greatest one. Gaps are not filled, because clients remember the ids of removed nodes. */
function nextId(config: Config, file: string, count: number, usedId = 0): number {
  const greatest = listNodes(config).reduce((max, { id }) => Math.max(max, id), usedId);
  if (Number.isSafeInteger(greatest + count)) return greatest + 1;
  throw new InputError(`${file} has no free id above ${greatest}; give that mirror a smaller id.`);
}

/**
 * Like `addNodes`, but adds only the mirrors that the target does not have yet. If `isRemoving`, also removes the
 * target's nodes that are not among the mirrors. The other nodes keep their id, name and settings. New nodes never get
 * the id of a removed node.
 */
export function mergeNodes(
  text: string,
  file: string,
  merge: Addition & { readonly isRemoving: boolean },
): MergedNodes {
  const before = validateConfig(text, file);
  const place = `${merge.system}/${merge.project}/${merge.target}`;
  const listed = listTargets(before).find((one) => one.place === place);
  const network = listed?.target.network ?? [];
  const known = new Set(network.map(({ url }) => urlKey(url)));
  const wanted = new Set(merge.mirrors.map(({ url }) => urlKey(url)));
  const mirrors = merge.mirrors.filter(({ url }) => !known.has(urlKey(url)));
  const missing = network.filter(({ url }) => !wanted.has(urlKey(url)));

  const addition = { ...merge, mirrors, probe: overrideOf(before, merge) };
  const added = mirrors.length === 0 ? undefined : addNodes(text, file, addition);
  const { text: edited, config } = added ?? { text, config: before };
  const isRemoved = merge.isRemoving && listed !== undefined && missing.length > 0;
  return {
    text: isRemoved ? removeNodes(edited, file, listed, missing) : edited,
    config,
    created: added?.created ?? [],
    settings: listNodes(config).find((node) => node.place === place)?.settings,
    added: added?.nodes ?? [],
    known: network.length - missing.length,
    missing: missing.map(editedNode),
    isRemoved,
  };
}

/** Returns a new target's probe settings, or undefined if they only repeat the inherited kind. */
function overrideOf(config: Config, { system, project, probe }: Addition): Override | undefined {
  const above = listTargets(config).find((one) => one.system === system && one.project.project === project);
  const { kind, ...options } = probe ?? {};
  const isInherited = kind === (above?.project.probe?.kind ?? config.probe.kind);
  return isInherited && Object.keys(options).length === 0 ? undefined : probe;
}

function removeNodes(
  text: string,
  file: string,
  { target, place, path }: ListedTarget,
  nodes: Target["network"],
): string {
  const primary = nodes.find(({ id }) => id === target.primary);
  if (primary !== undefined)
    throw new InputError(
      `Mirror ${primary.id} (${quote(primary.url)}) is the primary of ${place} in ${file}, but is not in the list; set a different primary, or import without --remove.`,
    );
  // New nodes were appended, so the old nodes still have the same indexes.
  const indexes = new Set(nodes.map((node) => target.network.indexOf(node)));
  const edited = removeItems(text, [...path, "network"], indexes);
  validateConfig(edited, `${file} without the removed mirrors`);
  return edited;
}
