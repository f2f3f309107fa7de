import { createSecureContext } from "node:tls";
import type { Families } from "../../src/probe/address.ts";
import { Deadline } from "../../src/probe/deadline.ts";
import { type Finding, probeNode, type Question } from "../../src/probe/probe-node.ts";
import type { Proxies } from "../../src/probe/proxies.ts";
import { Transport, type TransportOptions } from "../../src/probe/request.ts";
import { createResolver, type NameResolver } from "../../src/probe/resolve.ts";

/** What a test sets differently from a probe of the laboratory. */
export interface ProbingOptions extends Partial<Question> {
  readonly ca?: string | undefined;
  readonly isAllowed?: (address: string) => boolean;
  readonly families?: Families;
  readonly resolver?: NameResolver;
  readonly proxies?: Proxies;
  readonly maxBytes?: number;
  /** Its own, so that the test may abort it. */
  readonly deadline?: Deadline;
  readonly transport?: Transport;
}

export const clock = { now: () => performance.timeOrigin + performance.now(), random: () => 0 };

/** A transport as a run has it, but open to loopback, and with a certificate authority of the test's own. */
export function transportFor(options: ProbingOptions = {}): Transport {
  const settings: TransportOptions = {
    resolver: options.resolver ?? createResolver(new Map()),
    secureContext: createSecureContext(options.ca === undefined ? {} : { ca: options.ca }),
    families: options.families ?? { ipv4: true, ipv6: true },
    isAllowed: options.isAllowed ?? (() => true),
    proxies: options.proxies,
    userAgent: "mirrorfeed/test (+https://example.org)",
    maxBytes: options.maxBytes ?? 65_536,
  };
  return new Transport(settings);
}

/** Probes one url once, as git within 2 s unless the options say otherwise, and leaves nothing open. */
export async function probeUrl(url: string, options: ProbingOptions = {}): Promise<Finding> {
  const transport = options.transport ?? transportFor(options);
  const question: Question = {
    kind: options.kind ?? "git",
    url,
    expectStatus: options.expectStatus,
    timeoutMs: options.timeoutMs ?? 2000,
    attempts: options.attempts ?? 1,
    maxRedirects: options.maxRedirects ?? 5,
  };
  try {
    const deadline = options.deadline ?? new Deadline(question.timeoutMs);
    return await probeNode(deadline, question, transport, clock);
  } finally {
    if (options.transport === undefined) transport.close();
  }
}
