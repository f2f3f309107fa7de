import { createSecureContext } from "node:tls";
import type { NetworkNode } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { isPublic, machineFamilies } from "../probe/address.ts";
import type { Results, Shard } from "../probe/observation.ts";
import { probeAll } from "../probe/probe-all.ts";
import { readProxies } from "../probe/proxies.ts";
import { Transport } from "../probe/request.ts";
import { inShard } from "../probe/shard.ts";
import { createResolver, readHosts } from "../probe/resolve.ts";
import { product } from "../product.ts";
import type { Setting } from "./setting.ts";

export interface ObserveOptions {
  /** The id of the run; random where there is none. */
  readonly run?: string | undefined;
  readonly vantage?: string | undefined;
  readonly shard?: Shard | undefined;
  readonly allowPrivate?: boolean | undefined;
  /** Name servers to ask instead of the system's. */
  readonly dns?: readonly string[] | undefined;
}

/** Probes every node once, with progress on the terminal, and ends every connection. */
export async function observe(
  config: Config,
  nodes: readonly NetworkNode[],
  options: ObserveOptions,
  setting: Setting,
): Promise<Results> {
  const { control, maxBytes, allowPrivate } = config.probe;
  const resolver = createResolver(await readHosts(), options.dns);
  const transport = new Transport({
    resolver,
    secureContext: createSecureContext(),
    families: machineFamilies(),
    isAllowed: (options.allowPrivate ?? allowPrivate) ? () => true : isPublic,
    proxies: readProxies(setting.environment),
    userAgent: userAgent(config.site.url),
    maxBytes,
  });
  const shard = options.shard ?? { index: 1, count: 1 };
  const progress = setting.progress("Probing", inShard(nodes, shard).length + control.length);
  try {
    return await probeAll(config, nodes, {
      run: options.run ?? Math.floor(setting.random() * 2 ** 48).toString(36),
      vantage: options.vantage ?? "default",
      shard,
      prober: `mirrorfeed/${product.version}`,
      transport,
      chance: setting,
      interrupt: setting.interrupt,
      onProgress: progress.step,
    });
  } finally {
    progress.stop();
    transport.close();
    resolver.close();
  }
}

function userAgent(site: string | undefined): string {
  const contact = site === undefined ? `+${product.homepage}` : `+${product.homepage}; for ${site}`;
  return `mirrorfeed/${product.version} (${contact})`;
}
