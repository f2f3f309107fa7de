import type { NetworkNode } from "../../config/nodes.ts";
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
