import { createHash } from "node:crypto";
import type { NetworkNode } from "../config/nodes.ts";
import type { Shard } from "./observation.ts";

/**
 * The nodes of one shard, in their order. A node stays in its shard while the number of shards stays, whatever is
 * added or removed beside it.
 */
export function inShard(nodes: readonly NetworkNode[], { index, count }: Shard): NetworkNode[] {
  return nodes.filter(({ id }) => count === 1 || shardOf(id, count) === index);
}

function shardOf(id: number, count: number): number {
  return (createHash("sha256").update(String(id)).digest().readUInt32BE() % count) + 1;
}
