import { InputError } from "../../core/base/errors.ts";
import { quote } from "../../core/base/text/quote.ts";
import { urlKey } from "../../core/base/text/url.ts";
import { appendItems, removeItems, setValue } from "./edit.ts";
import { listTargets, type Node, nodeName, type TargetNames } from "../../core/config/nodes.ts";
import type { Override, Target } from "../../core/config/config-schema.ts";
import { validateConfig } from "../../core/config/validate.ts";
import { renderConfig } from "./new-config.ts";

const levels = ["system", "project", "target"] as const;

export interface NodeChange extends TargetNames {
  /** `name` defaults to the URL's host and path. */
  readonly mirrors: readonly { readonly url: string; readonly name?: string | undefined }[];
  /** Whether the first mirror becomes the target's primary. */
  readonly primary?: boolean | undefined;
  /** Probe settings for a new target; undefined to inherit them. */
  readonly probe?: Override | undefined;
  /** The greatest id that a removed mirror had, if any is known. */
  readonly usedId?: number | undefined;
  /** Whether to remove the target's nodes that are not among the mirrors. */
  readonly isRemoving?: boolean | undefined;
}

/** Parses `system/project/target`. Throws InputError unless the text consists of three names. */
export function parseTargetNames(text: string): TargetNames {
  const [system, project, target, ...more] = text.split("/");
  if (system && project && target && more.length === 0) return { system, project, target };
  throw new InputError(`${quote(text)} is not a target; write it as system/project/target.`);
}

export type ChangedNodes = ReturnType<typeof changeNodes>;

/**
 * Adds the mirrors that a target does not have yet to the text of a mirrors.json, keeping its indentation, and creates
 * missing levels. Returns how many mirrors the target had (`known`), and its nodes that are not among the mirrors
 * (`missing`). New ids follow the greatest one. `text` is undefined if there is no file yet. `file` is the file's name in
 * error messages. Throws InputError if the text is invalid before or after the change.
 */
export function changeNodes(text: string | undefined, file: string, change: NodeChange) {
  const { system, project, target, mirrors, probe, usedId = 0 } = change;
  const targets = text === undefined ? [] : listTargets(validateConfig(text, file));
  const inSystem = targets.filter((one) => one.system === system);
  const inProject = inSystem.filter((one) => one.project.project === project);
  const listed = inProject.find((one) => one.target.target === target);
  const before = listed?.target.network ?? [];
  const [had, wanted] = [urlKeys(before), urlKeys(mirrors)];
  const missing = before.filter(({ url }) => !wanted.has(urlKey(url)));
  // Gaps are not filled, because clients remember the ids of removed nodes.
  const ids = targets.flatMap((one) => one.target.network.map(({ id }) => id));
  const firstId = ids.reduce((greatest, id) => Math.max(greatest, id), usedId) + 1;
  const network = mirrors
    .filter(({ url }) => !had.has(urlKey(url)))
    .map(({ url, name }, index) => ({ id: firstId + index, ...(name === undefined ? {} : { name }), url }));
  const primary = change.primary === true ? firstId : undefined;
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
  let edited = text === undefined ? renderConfig(change, network, newTarget) : appendItems(text, list, items);
  if (listed !== undefined && primary !== undefined)
    edited = setValue(edited, [...listed.path, "primary"], primary, "target");
  const isRemoved = change.isRemoving === true && missing.length > 0;
  // New nodes were appended, so the old nodes still have the same indexes.
  const gone = new Set(isRemoved ? missing.map((node) => before.indexOf(node)) : []);
  if (listed !== undefined && gone.size > 0) edited = removeItems(edited, [...listed.path, "network"], gone);
  return {
    ...{ text: edited, config: validateConfig(edited, `${file} after the change`) },
    ...{ added: network.map(namedNode), known: before.length - missing.length },
    ...{ missing: missing.map(namedNode), isRemoved, created: levels.slice(levels.length - newLevels) },
  };
}

function urlKeys(nodes: readonly { readonly url: string }[]): ReadonlySet<string> {
  return new Set(nodes.map(({ url }) => urlKey(url)));
}

function namedNode({ id, url, name }: Target["network"][number]): Pick<Node, "id" | "name" | "url"> {
  return { id, name: name ?? nodeName(url), url };
}
