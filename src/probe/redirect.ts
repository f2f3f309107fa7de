import { parseUrl, withoutUserInfo } from "../text/url.ts";
import { ProbeFailure } from "../http/failure.ts";
import { header } from "../kinds/classification.ts";
import type { Classification, Classified, Classify } from "../kinds/kind.ts";
import type { HttpResponse } from "../http/response.ts";
import type { Transport } from "../http/transport.ts";

/** What decides: a classification, or a redirect that has none. */
interface Seen<OwnCode extends string> {
  readonly answer: HttpResponse;
  readonly classification: Classification<OwnCode> | undefined;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Whether a redirect from one url to another may be followed. */
export type MayFollow = (from: URL, to: URL) => boolean;

/**
 * Requests a URL, follows at most `max` redirects (RFC 9110, 15.4) and classifies the answer. Every hop is a request of
 * its own, so its address is checked as the first one was. Rejects with a ProbeFailure, or with the signal's reason.
 */
export async function requestFollowingRedirects<OwnCode extends string>(
  transport: Transport,
  start: URL,
  classify: Classify<OwnCode>,
  max: number,
  signal: AbortSignal,
  mayFollow: MayFollow = () => true,
): Promise<Classified<OwnCode>> {
  const look = (answer: HttpResponse): Seen<OwnCode> | undefined => {
    const classification = classify(answer);
    return classification === undefined && !isRedirect(answer) ? undefined : { answer, classification };
  };
  let url = start;
  for (let hops = 0; ; hops += 1) {
    const { answer, classification } = await transport.get(url, look, signal);
    if (classification !== undefined && (classification.code === "ok" || !isRedirect(answer)))
      return { answer, classification, url };
    if (hops === max) throw new ProbeFailure("redirect");
    const next = nextHop(url, header(answer, "location"));
    if (!mayFollow(url, next)) throw new ProbeFailure("redirect");
    transport.onStep?.({ step: "redirect", url: withoutUserInfo(next.href) });
    url = next;
  }
}

/** Git's client takes any other status of this class for a redirect too, if it says where to (RFC 9110, 15.4). */
function isRedirect(answer: HttpResponse): boolean {
  const { status } = answer;
  return redirects.has(status) || (status >= 300 && status < 400 && header(answer, "location") !== undefined);
}

/**
 * Where a redirect leads. Throws a ProbeFailure for one that leads nowhere, out of http and https, from https back to
 * http, or that hands out credentials.
 */
export function nextHop(from: URL, location: string | undefined): URL {
  const to = location === undefined ? undefined : parseUrl(location, from.href);
  if (to === undefined) throw new ProbeFailure("redirect");
  const downgraded = from.protocol === "https:" && to.protocol !== "https:";
  const foreign = to.protocol !== "https:" && to.protocol !== "http:";
  if (downgraded || foreign || to.username !== "" || to.password !== "") throw new ProbeFailure("redirect");
  return to;
}
