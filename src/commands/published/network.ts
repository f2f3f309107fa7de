import { createSecureContext } from "node:tls";
import type { Fetch } from "../../client/index.ts";
import { maxBytes } from "../../client/request.ts";
import { machineFamilies } from "../../base/http/address.ts";
import { ProbeFailure } from "../../base/http/failure.ts";
import { readProxies } from "../../base/http/proxies.ts";
import { Transport } from "../../base/http/transport.ts";
import { createResolver, readHosts } from "../../base/http/resolve.ts";
import { userAgent } from "../../base/files/package.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import type { HttpResponse } from "../../base/http/response.ts";

/** The connection to a feed. */
export interface FeedNetwork {
  /** For the client. Rejects with ProbeFailure, and with the reason of the signal. */
  readonly fetch: Fetch<Response>;
  /** Closes every connection. */
  readonly close: () => void;
}

/**
 * Opens the prober's transport for the client, with the proxies of the environment and a resolver that can be aborted.
 * The user names the feed, so any address is allowed.
 */
export async function openFeedNetwork(command: string, context: CommandContext): Promise<FeedNetwork> {
  const resolver = createResolver(await readHosts());
  const transport = new Transport({
    resolver,
    secureContext: createSecureContext(),
    families: machineFamilies(),
    isAllowed: () => true,
    proxies: readProxies(context.environment),
    userAgent: userAgent({ command }),
    // One byte more than the client reads, so that the client reports a too large answer.
    maxBytes: maxBytes + 1,
  });
  return {
    fetch: (url, { headers, signal }) =>
      request(transport, url, new Headers(headers).get("if-none-match"), signal),
    close: () => {
      transport.close();
      resolver.close();
    },
  };
}

/** Returns a fetch Response with the headers that the client and the cache need. */
export function responseOf(
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string | undefined>>,
): Response {
  const known = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  // Response accepts no body for these statuses (Fetch standard, "null body status").
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers: known });
}

async function request(
  transport: Transport,
  url: string,
  etag: string | null,
  signal: AbortSignal,
): Promise<Response> {
  const condition = etag === null ? [] : ["if-none-match", etag];
  const { status, headers, body } = await transport.request(new URL(url), wholeOrTooLarge, signal, {
    headers: condition,
  });
  if (status < 200 || status > 599) throw new ProbeFailure("not_http");
  const one = (name: string): string | undefined => [headers[name]].flat()[0];
  return responseOf(status, new Uint8Array(body), { etag: one("etag"), location: one("location") });
}

function wholeOrTooLarge(answer: HttpResponse): HttpResponse | undefined {
  return answer.complete || answer.body.length > maxBytes ? answer : undefined;
}
