import { listNodes } from "../../config/nodes.ts";
import type { OperationTemplate } from "./operation-template.ts";

const plain = {
  tag: "Lists and badges",
  type: "text/plain",
  schema: { type: "string", description: "Lines", pattern: "^(?:https?://[^\\s]+\\n)+$" },
} as const;

/** The operations of the mirror lists, by their paths. */
export const listTemplates: Readonly<Record<string, OperationTemplate>> = {
  "/mirrorlist/{system}/{project}/{target}.txt": {
    ...plain,
    id: "getMirrorlist",
    summary: "The URLs of a target, best first",
    description:
      "One URL a line: online nodes before offline ones, nodes in maintenance after the others, nodes in sync before those behind, then by latency. Offline nodes come last but are always listed, so the list is never empty.",
  },
  "/country/{country}/{system}/{project}/{target}.txt": {
    ...plain,
    id: "getCountryMirrorlist",
    summary: "The URLs of a target, best first for a country",
    description:
      "The same list, in which the nodes of the country come before equally good ones. It exists if a node of the target has a country, for each country of the feed.",
    isIn: (config) => listNodes(config).some(({ country }) => country !== undefined),
  },
};
