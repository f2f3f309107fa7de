import type { NetworkNode } from "../../config/nodes.ts";
import { type KindName, kindNames, kinds } from "../../kinds/kinds.ts";
import type { MirrorList } from "../../kinds/list.ts";
import type { Schema } from "./document.ts";

/** An operation without the parts that depend on the host. */
export interface OperationTemplate {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** The media type of the document. Left out for JSON. */
  readonly type?: string;
  readonly schema: Schema;
  /** Returns whether a feed of these nodes has such a document. Left out if every feed has it. */
  readonly isIn?: (nodes: readonly NetworkNode[]) => boolean;
}

/** A list without its path. */
interface ListTemplate extends OperationTemplate {
  readonly extension: string;
}

const plain: ListTemplate = {
  extension: "txt",
  id: "Mirrorlist",
  summary: "The URLs of a target, best first",
  description:
    "One URL a line: online nodes before offline ones, nodes in maintenance after the others, nodes in sync before those behind, then by latency. Offline nodes come last but are always listed, so the list is never empty.",
  type: "text/plain",
  schema: { type: "string", description: "Lines", pattern: "^(?:https?://[^\\s]+\\n)+$" },
};

const lists: readonly ListTemplate[] = [
  plain,
  ...kindNames.flatMap((kind) => (kinds[kind].lists ?? []).map((list) => templateOf(kind, list))),
];

/** The operations of the mirror lists, by their paths: of all mirrors, and for a country. */
export const listTemplates: Readonly<Record<string, OperationTemplate>> = Object.fromEntries(
  lists.flatMap(({ extension, id, ...list }): [string, OperationTemplate][] => [
    [`/mirrorlist/{system}/{project}/{target}.${extension}`, { ...list, id: `get${id}` }],
    [
      `/country/{country}/{system}/{project}/{target}.${extension}`,
      {
        ...list,
        id: `getCountry${id}`,
        summary: `${list.summary} for a country`,
        description:
          "The same list, in which the nodes of the country come before equally good ones. It exists if a node of the target has a country, for each country of the feed.",
        isIn: (nodes) => hasCountry(nodes) && (list.isIn?.(nodes) ?? true),
      },
    ],
  ]),
);

function templateOf(
  kind: KindName,
  { extension, type, title, description, isFor }: MirrorList,
): ListTemplate {
  return {
    extension,
    id: `${kind[0]?.toUpperCase() ?? ""}${kind.slice(1)}${extension[0]?.toUpperCase() ?? ""}${extension.slice(1)}`,
    summary: title,
    description,
    type,
    schema: { type: "string", description: `A file for tools: ${type}` },
    isIn: (nodes) =>
      nodes.some(({ settings }) => settings.kind === kind && (isFor?.(settings.options) ?? true)),
  };
}

function hasCountry(nodes: readonly NetworkNode[]): boolean {
  return nodes.some(({ country }) => country !== undefined);
}
