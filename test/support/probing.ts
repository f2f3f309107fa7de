import { createSecureContext } from "node:tls";
import { listNodes } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { configFrom, mirrorsJson, networkAt } from "./mirrors-json.ts";
import type { Results } from "../../src/core/probe/observation.ts";
import { probeAll, type ProbeRun } from "../../src/core/probe/probe-all.ts";
import type { Families } from "../../src/core/base/http/address.ts";
import { withDeadline } from "../../src/core/base/http/failure.ts";
import { type ProbeResult, probeNode, type ProbeRequest } from "../../src/core/probe/probe-node.ts";
import type { Proxies } from "../../src/core/base/http/connection.ts";
import type { OnStep } from "../../src/core/base/http/trace.ts";
import { Transport, type TransportOptions } from "../../src/core/base/http/transport.ts";
import { createResolver, type NameResolver, parseHosts } from "../../src/core/base/http/resolve.ts";

/** What a test can change about a probe. All fields have defaults that suit the testbed. */
export interface ProbingOptions extends Partial<Omit<ProbeRequest, "context">> {
  readonly context?: Partial<ProbeRequest["context"]>;
  readonly ca?: string | undefined;
  readonly isAllowed?: (address: string) => boolean;
  readonly families?: Families;
  /** Default: a resolver that knows only `hosts`, the content of a hosts file. */
  readonly resolver?: NameResolver;
  readonly hosts?: string;
  readonly proxies?: Proxies;
  /** The proxy of all requests, instead of `proxies`. */
  readonly proxy?: string;
  readonly maxBytes?: number;
  readonly onStep?: OnStep;
  readonly interrupt?: AbortSignal;
  readonly transport?: Transport;
}

export const clock = { now: () => performance.timeOrigin + performance.now(), random: () => 0 };

/** A run's transport that also allows loopback and trusts the test's certificate authority. */
export function transportFor(options: ProbingOptions = {}): Transport {
  const { proxy = "" } = options;
  const proxies = { httpProxy: proxy, httpsProxy: proxy, noProxy: "" };
  const settings: TransportOptions = {
    resolver: options.resolver ?? createResolver(parseHosts(options.hosts ?? "")),
    secureContext: createSecureContext(options.ca === undefined ? {} : { ca: options.ca }),
    families: options.families ?? { ipv4: true, ipv6: true },
    isAllowed: options.isAllowed ?? (() => true),
    proxies: proxy === "" ? options.proxies : proxies,
    userAgent: "mirrorfeed/test (+https://example.org)",
    maxBytes: options.maxBytes ?? 65_536,
    answered: new Map(),
    onStep: options.onStep,
  };
  return new Transport(settings);
}

/** Probes one URL once and leaves nothing open. The default kind is `git`, the default timeout 2 s. */
export async function probeUrl(url: string, options: ProbingOptions = {}): Promise<ProbeResult> {
  const transport = options.transport ?? transportFor(options);
  const request: ProbeRequest = {
    kind: options.kind ?? "git",
    url,
    options: options.options ?? {},
    timeoutMs: options.timeoutMs ?? 2000,
    attempts: options.attempts ?? 1,
    maxRedirects: options.maxRedirects ?? 20,
    context: {
      verifySignature: () => Promise.resolve(undefined),
      ...{ isPrimary: false, hasPrimary: true, reference: undefined, now: clock.now(), turn: 0 },
      ...options.context,
    },
  };
  try {
    const interrupt = options.interrupt ?? new AbortController().signal;
    return await withDeadline(request.timeoutMs, interrupt, (signal) =>
      probeNode(signal, request, transport, clock),
    );
  } finally {
    if (options.transport === undefined) transport.close();
  }
}

export function configOf(urls: readonly string[], probe: object = {}): Config {
  const settings = { timeout: "2s", attempts: 1, ...probe };
  return configFrom(mirrorsJson(networkAt(urls), { probe: settings }));
}

/** Probes every mirror and control of a configuration once, and leaves nothing open. */
export async function probeConfig(
  config: Config,
  given: Partial<ProbeRun> = {},
  transport = transportFor(),
): Promise<Results> {
  try {
    return await probeAll(config, listNodes(config), {
      ...{ run: "r1", vantage: "default", shard: { index: 1, count: 1 }, transport, clock },
      interrupt: new AbortController().signal,
      verifySignature: () => Promise.resolve(undefined),
      onProgress: () => undefined,
      ...given,
    });
  } finally {
    transport.close();
  }
}
