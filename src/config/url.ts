import { hasInvisible, quote } from "../quote.ts";

const longest = 2000;

/**
 * What is wrong with the url of a mirror or a control, or undefined. Only the normal form of the WHATWG URL standard
 * is taken, so that a reader sees the host that is asked: `https://127.1/` has to be written `https://127.0.0.1/`.
 */
export function urlFault(text: string): string | undefined {
  if (text.length > longest) return `is longer than ${longest} characters; shorten it`;
  const shown = quote(text);
  if (hasInvisible(text)) return `${shown} holds invisible characters; remove them`;
  const url = parseUrl(text);
  if (url === undefined) return `${shown} is not a url; write it as https://host/path`;
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return `${shown} has the scheme ${quote(url.protocol.slice(0, -1))}; only http and https are probed`;
  }
  if (url.username !== "" || url.password !== "") {
    return "holds credentials, and the feed is public; remove what stands before the @";
  }
  if (text.includes("#")) return `${shown} has a fragment, which no server sees; remove it from the # on`;
  // The slash after a bare host may be left out, as people write it.
  const normal = url.href === `${text}/` ? text : url.href;
  if (normal !== text) return `${shown} is not in its normal form; write ${quote(normal)}`;
  return undefined;
}

/** Whether a text is a url with a query, be it an empty one, which `URL.search` does not tell from none. */
export function hasQuery(text: string): boolean {
  return /^[^#]*\?/.test(parseUrl(text)?.href ?? "");
}

/** A url without the slashes at its end: two urls of which this is the same are one. */
export function urlKey(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

/** The parsed url, taken relative to `base` where there is one, or undefined where the text is none. */
export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}
