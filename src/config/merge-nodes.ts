import { InputError } from "../base/errors.ts";
import { quote } from "../base/text/quote.ts";
import { urlKey } from "../base/text/url.ts";
import { addNodes, type AddedNodes } from "./add-nodes.ts";
import { removeItems } from "./edit.ts";
import {
  listNodes,
  listTargets,
  type ListedTarget,
  nodeName,
  type NodeSettings,
  type TargetNames,
} from "./nodes.ts";
import type { Config, Override } from "./schema.ts";
import { validateConfig } from "./validate.ts";

/** The mirrors of a list, for a target. */
export interface MirrorsToMerge extends TargetNames {
  readonly mirrors: readonly { readonly url: string; readonly name: string | undefined }[];
  /** How the mirrors are probed if the target is new; undefined for the settings of the levels above it. */
  readonly probe: Override | undefined;
  /** Whether nodes that are not among the mirrors are removed. */
  readonly isRemoving: boolean;
}

/** A node of mirrors.json. */
type MergedNode = AddedNodes["nodes"][number];

/** The new text of mirrors.json, and how the target differs. */
export interface MergedNodes extends Pick<AddedNodes, "text" | "created" | "allowPrivate"> {
  /** How the first node of the target is probed. */
  readonly settings: NodeSettings | undefined;
  readonly added: readonly MergedNode[];
  /** How many of the mirrors were there. */
  readonly known: number;
  /** The nodes that are not among the mirrors, and whether they are removed. */
  readonly missing: readonly MergedNode[];
  readonly isRemoved: boolean;
}

/**
 * Returns a text of mirrors.json with those of the mirrors added that the target does not have. A node with the same URL
 * keeps its id, its name and its settings. If nodes are removed, the ids of new ones are still after theirs. Everything
 * else is as in `addNodes`. Throws InputError if the text is not valid before or after the change.
 */
export function mergeNodes(text: string, file: string, merge: MirrorsToMerge): MergedNodes {
  const config = validateConfig(text, file);
  const place = `${merge.system}/${merge.project}/${merge.target}`;
  const listed = listTargets(config).find((one) => one.place === place);
  const network = listed?.target.network ?? [];
  const known = new Set(network.map(({ url }) => urlKey(url)));
  const wanted = new Set(merge.mirrors.map(({ url }) => urlKey(url)));
  const fresh = merge.mirrors.filter(({ url }) => !known.has(urlKey(url)));
  const missing = network.filter(({ url }) => !wanted.has(urlKey(url)));

  const added = fresh.length === 0 ? undefined : addNodes(text, file, additionOf(config, merge, fresh));
  const edited = added?.text ?? text;
  const isRemoved = merge.isRemoving && missing.length > 0;
  return {
    text: isRemoved && listed !== undefined ? withoutNodes(edited, file, listed, wanted) : edited,
    created: added?.created ?? [],
    settings: listNodes(validateConfig(edited, file)).find((node) => node.place === place)?.settings,
    added: added?.nodes ?? [],
    known: network.length - missing.length,
    missing: missing.map(({ id, url, name = nodeName(url) }) => ({ id, name, url })),
    isRemoved,
    allowPrivate: config.probe.allowPrivate,
  };
}

function additionOf(config: Config, merge: MirrorsToMerge, fresh: MirrorsToMerge["mirrors"]) {
  const { system, project, target } = merge;
  const names = new Map(fresh.flatMap(({ url, name }) => (name === undefined ? [] : [[url, name] as const])));
  const urls = fresh.map(({ url }) => url);
  return { system, project, target, urls, names, probe: overrideOf(config, merge) };
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

/** Returns the text without the nodes of a target whose URLs are not wanted. New nodes stand behind all of these. */
function withoutNodes(
  text: string,
  file: string,
  { target, place, path }: ListedTarget,
  wanted: ReadonlySet<string>,
): string {
  const indexes = new Set<number>();
  for (const [index, { id, url }] of target.network.entries()) {
    if (wanted.has(urlKey(url))) continue;
    indexes.add(index);
    if (id === target.primary)
      throw new InputError(
        `Node ${id} with ${quote(url)} is the primary of ${place} in ${file}, and the list does not have it; set another primary, or import without --remove.`,
      );
  }
  const edited = removeItems(text, [...path, "network"], indexes);
  validateConfig(edited, `${file} without the removed nodes`);
  return edited;
}
