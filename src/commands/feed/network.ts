import { createSecureContext } from "node:tls";
import type { Fetch } from "../../client/index.ts";
import { mostBytes } from "../../client/request.ts";
import { machineFamilies } from "../../probe/address.ts";
import type { Answer } from "../../probe/exchange.ts";
import { ProbeFailure } from "../../probe/failure.ts";
import { readProxies } from "../../probe/proxies.ts";
import { Transport } from "../../probe/request.ts";
import { createResolver, readHosts } from "../../probe/resolve.ts";
import { product } from "../../product.ts";
import type { Setting } from "../setting.ts";

/** What a feed is asked with. */
export interface FeedNetwork {
  /** For the client: it rejects with ProbeFailure, and with the reason of the signal. */
  readonly fetch: Fetch;
  /** Ends every connection. */
  readonly close: () => void;
}

/**
 * The means of the prober, for the client: through the proxies of the environment, with a resolver that can be given
 * up. A feed is where the person said, so its address may be any.
 */
export async function openFeedNetwork(command: string, setting: Setting): Promise<FeedNetwork> {
  const resolver = createResolver(await readHosts());
  const transport = new Transport({
    resolver,
    secureContext: createSecureContext(),
    families: machineFamilies(),
    isAllowed: () => true,
    proxies: readProxies(setting.environment),
    userAgent: `mirrorfeed/${product.version} (${command}; +${product.homepage})`,
    // More than the client reads, so that it is the one to say what is too large.
    maxBytes: 2 * mostBytes,
  });
  return {
    fetch: (url, { headers, signal }) =>
      ask(transport, url, new Headers(headers).get("if-none-match"), signal ?? setting.interrupt),
    close: () => {
      transport.close();
      resolver.close();
    },
  };
}

/** A response as fetch gives it, with the headers that are of use to the client and to a cache. */
export function responseOf(
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string | undefined>>,
): Response {
  const known = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  // Those that have no body, and Response takes none for them (Fetch standard, "null body status").
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers: known });
}

async function ask(
  transport: Transport,
  url: string,
  etag: string | null,
  signal: AbortSignal,
): Promise<Response> {
  const condition = etag === null ? [] : ["if-none-match", etag];
  const { status, headers, body } = await transport.get(new URL(url), wholeOrTooLarge, signal, condition);
  if (status < 200 || status > 599) throw new ProbeFailure("not_http");
  const one = (name: string): string | undefined => [headers[name]].flat()[0];
  return responseOf(status, new Uint8Array(body), { etag: one("etag"), location: one("location") });
}

function wholeOrTooLarge(answer: Answer): Answer | undefined {
  return answer.complete || answer.body.length > mostBytes ? answer : undefined;
}
