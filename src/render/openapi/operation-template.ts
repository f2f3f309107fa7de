import type { NetworkNode } from "../../config/nodes.ts";
import type { Schema } from "./document.ts";

/** The groups of operations, in the order of the documentation. */
export const tags = [
  {
    name: "Contract",
    description:
      "The statuses. These documents have no timestamps, and change only when one of their statuses does.",
  },
  {
    name: "Report",
    description:
      "The evidence behind the statuses. Only the heartbeat changes with every run. The other documents change with a status, a revision, a certificate, a maintenance or the day.",
  },
  {
    name: "Lists and badges",
    description: "The statuses for scripts that read lines, and for other web pages.",
  },
  { name: "Feeds", description: "The changes of statuses, for feed readers." },
  { name: "Metrics", description: "The statuses for monitoring systems." },
  { name: "Descriptions", description: "Descriptions of the feed itself." },
] as const;

type Tag = (typeof tags)[number]["name"];

/** An operation without the parts that depend on the host. */
export interface OperationTemplate {
  readonly tag: Tag;
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly type: string;
  readonly schema: Schema;
  /** Returns whether a feed of these nodes has such a document. Left out if every feed has it. */
  readonly isIn?: (nodes: readonly NetworkNode[]) => boolean;
}
