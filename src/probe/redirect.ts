import { parseUrl, withoutUserInfo } from "../base/text/url.ts";
import { ProbeFailure } from "../base/http/failure.ts";
import { header } from "../kinds/classification.ts";
import type { Classification, Classified, Classify } from "../kinds/kind.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions, Transport } from "../base/http/transport.ts";

/** An answer that decides: it has a classification, or is a redirect. */
interface Decisive<OwnCode extends string> {
  readonly answer: HttpResponse;
  readonly classification: Classification<OwnCode> | undefined;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Returns whether a redirect from one URL to another may be followed. */
export type MayFollow = (from: URL, to: URL) => boolean;

/**
 * Requests a URL, follows at most `max` redirects (RFC 9110, 15.4) and classifies the answer. Each hop is a request of its
 * own, whose address is checked. Rejects with a ProbeFailure, or with the signal's reason.
 */
export async function requestFollowingRedirects<OwnCode extends string>(
  transport: Transport,
  start: URL,
  classify: Classify<OwnCode>,
  max: number,
  signal: AbortSignal,
  mayFollow: MayFollow = () => true,
  options: RequestOptions = {},
): Promise<Classified<OwnCode>> {
  const parser = (answer: HttpResponse): Decisive<OwnCode> | undefined => {
    const classification = classify(answer);
    return classification === undefined && !isRedirect(answer) ? undefined : { answer, classification };
  };
  let url = start;
  for (let hops = 0; ; hops += 1) {
    const { answer, classification } = await transport.request(url, parser, signal, options);
    if (classification !== undefined && (classification.code === "ok" || !isRedirect(answer)))
      return { answer, classification, url };
    if (hops === max) throw new ProbeFailure("redirect");
    const next = nextHop(url, header(answer, "location"));
    if (!mayFollow(url, next)) throw new ProbeFailure("redirect");
    transport.onStep?.({ step: "redirect", url: withoutUserInfo(next.href) });
    url = next;
  }
}

/** Git's client also follows any other status of this class that has a location (RFC 9110, 15.4). */
function isRedirect(answer: HttpResponse): boolean {
  const { status } = answer;
  return redirects.has(status) || (status >= 300 && status < 400 && header(answer, "location") !== undefined);
}

/**
 * Returns the URL that a redirect leads to. Throws a ProbeFailure if it has no valid location, another scheme than HTTP and
 * HTTPS, leads from HTTPS to HTTP, or contains credentials.
 */
export function nextHop(from: URL, location: string | undefined): URL {
  const to = location === undefined ? undefined : parseUrl(location, from.href);
  if (to === undefined) throw new ProbeFailure("redirect");
  const isDowngrade = from.protocol === "https:" && to.protocol !== "https:";
  const isForeign = to.protocol !== "https:" && to.protocol !== "http:";
  if (isDowngrade || isForeign || to.username !== "" || to.password !== "")
    throw new ProbeFailure("redirect");
  return to;
}
