import { listNodes } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import type { OpenapiDocument } from "../../src/features/openapi/openapi.ts";
import { describeSite } from "../../src/app/render-site.ts";
import type { Status } from "../../src/core/contract/network.ts";
import { resolveStored } from "../../src/app/advance-feed.ts";
import type { FeedState } from "../../src/app/state-document.ts";
import type { NotifiedFeed } from "../../src/features/notify/told.ts";

/** Returns a feed with these statuses, by node id. All other nodes' statuses are unknown. */
export function feedWith(config: Config, statuses: ReadonlyMap<number, Status>): NotifiedFeed {
  const nodes = Object.fromEntries(
    [...statuses].map(([id, status]) => [
      id,
      { status, code: status === 1 ? "ok" : "timeout", since: 0, transitions: [] },
    ]),
  );
  const state: FeedState = { schema: 1, runs: [["r", 0]], nodes, references: {}, vantages: {} };
  return resolveStored(config, listNodes(config), state);
}

export function describeConfig(config: Config, version = "1.2.3"): OpenapiDocument {
  const homepage = "https://github.com/mirrorfeed/mirrorfeed";
  return describeSite(config, feedWith(config, new Map()), { version, homepage });
}
