import { createHash } from "node:crypto";
import type { Node } from "../config/nodes.ts";
import type { Shard } from "./observation.ts";

/**
 * Returns the nodes of one shard, in their order. A node stays in its shard when other nodes come or go, as long as the
 * number of shards stays the same.
 */
export function inShard(nodes: readonly Node[], { index, count }: Shard): Node[] {
  return nodes.filter(({ id }) => count === 1 || shardOf(id, count) === index);
}

function shardOf(id: number, count: number): number {
  return (createHash("sha256").update(String(id)).digest().readUInt32BE() % count) + 1;
}
