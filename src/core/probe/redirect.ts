import { ProbeFailure } from "../base/http/failure.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions, Transport } from "../base/http/transport.ts";
import { parseUrl, withoutUserInfo } from "../base/text/url.ts";
import { header, isChallenge } from "../kinds/mirror-files.ts";
import type { Classified, Classify } from "../kinds/kind.ts";

/** Each hop is a separate request, and its address is checked. Rejects with a ProbeFailure or the signal's reason. */
export async function followRedirects(
  transport: Transport,
  start: URL,
  classify: Classify,
  signal: AbortSignal,
  options: RequestOptions & { readonly maxRedirects: number; readonly onOneHost?: true },
): Promise<Classified> {
  const parser = (answer: HttpResponse) => {
    const code = isChallenge(answer) ? "challenge" : classify(answer);
    return code === undefined && !isRedirect(answer) ? undefined : { answer, code };
  };
  const { maxRedirects, onOneHost = false } = options;
  let url = start;
  for (let hops = 0; ; hops += 1) {
    const { answer, code } = await transport.request(url, parser, signal, options);
    if (code !== undefined && (code === "ok" || !isRedirect(answer))) return { answer, code, url };
    const next = hops === maxRedirects ? undefined : nextHop(url, header(answer, "location"));
    if (next === undefined || (onOneHost && next.hostname !== url.hostname))
      throw new ProbeFailure("redirect");
    transport.onStep?.({ step: "redirect", url: withoutUserInfo(next.href) });
    url = next;
  }
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Like Git, treats every 3xx response with a Location as a redirect (RFC 9110, 15.4). */
function isRedirect(answer: HttpResponse): boolean {
  const { status } = answer;
  return redirects.has(status) || (status >= 300 && status < 400 && header(answer, "location") !== undefined);
}

/** Refuses other schemes, redirects from HTTPS to HTTP, and credentials. */
function nextHop(from: URL, location: string | undefined): URL | undefined {
  const target = location === undefined ? undefined : asCurlReads(location);
  const to = target === undefined ? undefined : parseUrl(target, from.href);
  const isAllowed = to?.protocol === "https:" || (to?.protocol === "http:" && from.protocol === "http:");
  return isAllowed && to.username === "" && to.password === "" ? to : undefined;
}

/**
 * Rewrites a Location so that `URL` resolves it like curl, which Git uses: a backslash is not a slash, one to three
 * slashes follow a scheme, and control characters are invalid. Browsers are more lenient.
 */
function asCurlReads(location: string): string | undefined {
  const text = location.trim();
  const slashes = /^https?:(\/*)/i.exec(text)?.[1]?.length ?? 2;
  if (slashes < 1 || slashes > 3 || /\p{Cc}/u.test(text)) return undefined;
  return text.replaceAll("\\", "%5C").replace(/^(https?):\/+/i, "$1://");
}
