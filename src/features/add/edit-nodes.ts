import { InputError } from "../../core/base/errors.ts";
import { quote } from "../../core/base/text/quote.ts";
import { urlKey } from "../../core/base/text/url.ts";
import { appendItems, removeItems, setValue } from "./edit.ts";
import { listTargets, type Node, nodeName, type TargetNames } from "../../core/config/nodes.ts";
import type { Override, Target } from "../../core/config/config-schema.ts";
import { validateConfig } from "../../core/config/validate.ts";
import { renderConfig } from "./new-config.ts";

const levels = ["system", "project", "target"] as const;

export interface Addition extends TargetNames {
  /** `name` defaults to the URL's host and path. */
  readonly mirrors: readonly { readonly url: string; readonly name?: string | undefined }[];
  /** Whether the first mirror becomes the target's primary. */
  readonly primary?: boolean | undefined;
  /** Probe settings for a new target; undefined to inherit them. */
  readonly probe?: Override | undefined;
  /** The greatest id that a removed mirror had, if any is known. */
  readonly usedId?: number | undefined;
}

/** Parses `system/project/target`. Throws InputError unless the text consists of three names. */
export function parseTargetNames(text: string): TargetNames {
  const [system, project, target, ...more] = text.split("/");
  if (system && project && target && more.length === 0) return { system, project, target };
  throw new InputError(`${quote(text)} is not a target; write it as system/project/target.`);
}

export type AddedNodes = ReturnType<typeof addNodes>;

/**
 * Adds nodes to the text of a mirrors.json, keeping its indentation, and creates missing levels. New ids follow the
 * greatest one. `text` is undefined if there is no file yet. `file` is the file's name in error messages. Throws
 * InputError if the text is invalid before or after the change.
 */
export function addNodes(text: string | undefined, file: string, addition: Addition) {
  const { system, project, target, mirrors, probe, usedId = 0 } = addition;
  const targets = text === undefined ? [] : listTargets(validateConfig(text, file));
  const inSystem = targets.filter((one) => one.system === system);
  const inProject = inSystem.filter((one) => one.project.project === project);
  const listed = inProject.find((one) => one.target.target === target);
  // Gaps are not filled, because clients remember the ids of removed nodes.
  const ids = targets.flatMap((one) => one.target.network.map(({ id }) => id));
  const firstId = ids.reduce((greatest, id) => Math.max(greatest, id), usedId) + 1;
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
  let edited =
    text === undefined ? renderConfig(addition, network, { primary, probe }) : appendItems(text, list, items);
  if (listed !== undefined && primary !== undefined)
    edited = setValue(edited, [...listed.path, "primary"], primary, "target");
  return {
    text: edited,
    config: validateConfig(edited, `${file} with the mirrors added`),
    added: network.map(editedNode),
    created: levels.slice(levels.length - newLevels),
  };
}

function editedNode({ id, url, name }: Target["network"][number]): Pick<Node, "id" | "name" | "url"> {
  return { id, name: name ?? nodeName(url), url };
}

export type MergedNodes = ReturnType<typeof mergeNodes>;

/**
 * Like `addNodes`, but adds only the mirrors that the target does not have yet. Returns how many it had (`known`), and
 * the target's nodes that are not among the mirrors (`missing`). If `isRemoving`, also removes those. The other nodes
 * keep their id, name and settings. New nodes never get the id of a removed node.
 */
export function mergeNodes(
  text: string | undefined,
  file: string,
  merge: Addition & { readonly isRemoving: boolean },
) {
  const place = `${merge.system}/${merge.project}/${merge.target}`;
  const before = text === undefined ? undefined : validateConfig(text, file);
  const listed = before && listTargets(before).find((one) => one.place === place);
  const network = listed?.target.network ?? [];
  const known = new Set(network.map(({ url }) => urlKey(url)));
  const wanted = new Set(merge.mirrors.map(({ url }) => urlKey(url)));
  const mirrors = merge.mirrors.filter(({ url }) => !known.has(urlKey(url)));
  const missing = network.filter(({ url }) => !wanted.has(urlKey(url)));
  const merged =
    text !== undefined && before !== undefined && mirrors.length === 0
      ? { text, config: before, added: [], created: [] }
      : addNodes(text, file, { ...merge, mirrors });
  const isRemoved = merge.isRemoving && listed !== undefined && missing.length > 0;
  const counts = { known: network.length - missing.length, missing: missing.map(editedNode), isRemoved };
  if (!isRemoved) return { ...merged, ...counts };
  // New nodes were appended, so the old nodes still have the same indexes.
  const indexes = new Set(missing.map((node) => network.indexOf(node)));
  const edited = removeItems(merged.text, [...listed.path, "network"], indexes);
  const config = validateConfig(edited, `${file} without the removed mirrors`);
  return { ...merged, text: edited, config, ...counts };
}
