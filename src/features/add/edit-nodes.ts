import { applyEdits, findNodeAtLocation, type JSONPath, modify, parseTree } from "jsonc-parser";
import { InputError } from "../../core/base/errors.ts";
import { quote } from "../../core/base/text/quote.ts";
import { urlKey } from "../../core/base/text/url.ts";
import type { Override, Target } from "../../core/config/config-schema.ts";
import { listTargets, type Node, nodeName, type TargetNames } from "../../core/config/nodes.ts";
import { validateConfig } from "../../core/config/validate.ts";
import { renderConfig, renderLine } from "./config-file.ts";

export interface NodeChange extends TargetNames {
  readonly mirrors: readonly { readonly url: string; readonly name?: string | undefined }[];
  /** Whether the first mirror becomes the target's primary. */
  readonly isPrimary?: boolean | undefined;
  /** Probe settings for a new target; undefined to inherit them. */
  readonly probe?: Override | undefined;
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

/**
 * Adds mirrors to the text of a mirrors.json, or to a new one, and creates missing levels. Returns how many of them the
 * target had (`known`), and its nodes that are not among them (`missing`). Throws InputError, which names `file`, if the
 * text is invalid before or after the change.
 */
export function changeNodes(text: string | undefined, file: string, change: NodeChange) {
  const { system, project, target, mirrors, probe, usedId = 0, isRemoving = false } = change;
  const targets = text === undefined ? [] : listTargets(validateConfig(text, file));
  const inSystem = targets.filter((one) => one.system === system);
  const inProject = inSystem.filter((one) => one.project.project === project);
  const listed = inProject.find((one) => one.target.target === target);
  const before = listed?.target.network ?? [];
  const had = new Set(before.map(({ url }) => urlKey(url)));
  const wanted = new Set(mirrors.map(({ url }) => urlKey(url)));
  const missing = before.filter(({ url }) => !wanted.has(urlKey(url)));
  // Gaps are not filled, because clients remember the ids of removed nodes.
  const ids = targets.flatMap((one) => one.target.network.map(({ id }) => id));
  const firstId = ids.reduce((greatest, id) => Math.max(greatest, id), usedId) + 1;
  const added = mirrors
    .filter(({ url }) => !had.has(urlKey(url)))
    .map(({ url, name }, index) => ({ id: firstId + index, ...(name !== undefined && { name }), url }));
  const primary = change.isPrimary === true ? firstId : undefined;
  const newTarget = { target, ...(primary && { primary }), ...(probe && { probe }), network: added };
  const newProject = { project, targets: [newTarget] };
  const newSystem = { system, projects: [newProject] };
  const insertions = [
    { list: listed && [...listed.path, "network"], items: added },
    { list: inProject[0]?.path.slice(0, -1), items: [newTarget] },
    { list: inSystem[0]?.path.slice(0, -3), items: [newProject] },
    { list: ["systems"], items: [newSystem] },
  ];
  const newLevels = insertions.findIndex(({ list }) => list !== undefined);
  const { list = [], items = [] } = insertions[newLevels] ?? {};
  const removed = new Set(isRemoving ? missing.map((node) => before.indexOf(node)) : []);
  let edited =
    text === undefined ? renderConfig({ systems: [newSystem] }) : editItems(text, list, items, removed);
  if (listed !== undefined && change.isPrimary === true) edited = setPrimary(edited, listed.path, firstId);
  return {
    ...{ text: edited, config: validateConfig(edited, `${file} after the change`) },
    ...{ added: added.map(namedNode), known: before.length - missing.length },
    ...{ missing: missing.map(namedNode), created: ["system", "project", "target"].slice(3 - newLevels) },
  };
}

/** Appends items to an array in a JSON text, and removes those with the indexes `removed`. Keeps its style. */
function editItems(text: string, path: JSONPath, added: readonly object[], removed: ReadonlySet<number>) {
  const tree = parseTree(text);
  const items = (tree && findNodeAtLocation(tree, path)?.children) ?? [];
  const old = items.map(({ offset, length }) => text.slice(offset, offset + length));
  const [start, end] = [items[0]?.offset ?? 0, items.at(-1)?.offset ?? 0];
  const [gap = ""] = /\s*$/.exec(text.slice(0, start)) ?? [];
  const [indent] = /(?<=\n)[ \t]+/.exec(text) ?? [];
  const isOneLine = old.at(-1)?.includes("\n") === false;
  const rendered = added.map((item) =>
    isOneLine ? renderLine(item) : JSON.stringify(item, null, indent).replaceAll("\n", gap),
  );
  const listEnd = end + (old.at(-1)?.length ?? 0);
  const kept = removed.size === 0 ? [text.slice(start, listEnd)] : old.filter((_, at) => !removed.has(at));
  return `${text.slice(0, start)}${[...kept, ...rendered].join(`,${gap}`)}${text.slice(listEnd)}`;
}

function setPrimary(text: string, target: JSONPath, id: number): string {
  const edits = modify(text, [...target, "primary"], id, {
    formattingOptions: { insertSpaces: !text.includes("\n\t"), tabSize: 2 },
    getInsertionIndex: (names) => names.indexOf("target") + 1,
  });
  return applyEdits(text, edits);
}

function namedNode({ id, url, name }: Target["network"][number]): Pick<Node, "id" | "name" | "url"> {
  return { id, name: name ?? nodeName(url), url };
}
