import { hasInvisible, quote } from "./quote.ts";

const maxLength = 2000;

/**
 * Returns what is wrong with the URL of a mirror or a control, or undefined. The URL must be in the normal form of the
 * WHATWG URL standard, so that a reader sees the host that is requested: not `https://127.1/` but `https://127.0.0.1/`.
 */
export function urlProblem(text: string): string | undefined {
  const shown = quote(text);
  const complete = withScheme(text);
  const isPlain = text.length <= maxLength && !hasInvisible(text);
  if (isPlain && complete !== undefined) return `${shown} has no scheme; write ${quote(complete)}`;
  const wrongScheme = "only http and https are probed";
  const url = checkedUrl(text, "https://host/path", ["https:", "http:"], wrongScheme, "feed");
  if (typeof url === "string") return url;
  if (text.includes("#")) return `${shown} has a fragment, which no server sees; remove it from the # on`;
  // The slash after a bare host may be missing, as people write it.
  const normal = url.href === `${text}/` ? text : url.href;
  return normal === text ? undefined : `${shown} is not in its normal form; write ${quote(normal)}`;
}

/** Returns what is wrong with the URL of a link on the pages, or undefined. */
export function linkUrlProblem(text: string): string | undefined {
  const forms = "https://host/path or mailto:name@host";
  const wrongScheme = "use http, https or mailto";
  const url = checkedUrl(text, forms, ["https:", "http:", "mailto:"], wrongScheme, "page");
  return typeof url === "string" ? url : undefined;
}

/** Returns the parsed URL, or what is wrong with it. `place` is where everyone could read its credentials. */
function checkedUrl(
  text: string,
  forms: string,
  schemes: readonly string[],
  wrongScheme: string,
  place: string,
): URL | string {
  if (text.length > maxLength) return `is longer than ${maxLength} characters; shorten it`;
  const shown = quote(text);
  if (hasInvisible(text)) return `${shown} holds invisible characters; remove them`;
  const url = parseUrl(text);
  if (url === undefined) return `${shown} is not a URL; write it as ${forms}`;
  if (!schemes.includes(url.protocol))
    return `${shown} has the scheme ${quote(url.protocol.slice(0, -1))}; ${wrongScheme}`;
  if (url.username === "" && url.password === "") return url;
  return `holds credentials, and the ${place} is public; remove what stands before the @`;
}

/** Returns the full URL of a text that lacks only the scheme, such as `example.org/path`; undefined for other texts. */
export function withScheme(text: string): string | undefined {
  const isHost = /^(?:localhost|[a-z\d](?:[a-z\d-]*)(?:\.[a-z\d-]+)+)(?::\d+)?(?:[/?#]|$)/i.test(text);
  return isHost && URL.canParse(`https://${text}`) ? `https://${text}` : undefined;
}

/** Returns a text without the user and the password of each URL in it. */
export function withoutUserInfo(text: string): string {
  return text.replaceAll(/(?<=:\/\/)[^\s/?#]*@/g, "");
}

/** Returns whether a text is a URL with a query. `URL.search` does not show an empty one. */
export function hasQuery(text: string): boolean {
  return /^[^#]*\?/.test(parseUrl(text)?.href ?? "");
}

/** Returns an address and a port as a URL has them. */
export function hostAndPort(address: string, port: number): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Returns a URL without the slashes at its end. Two URLs with the same key are the same mirror. */
export function urlKey(text: string): string {
  let end = text.length;
  while (text[end - 1] === "/") end -= 1;
  return text.slice(0, end);
}

/** Returns undefined if the text is not a URL. */
export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/**
 * Returns what is wrong with the URL that a site is published at, or undefined. Its path goes into the rules of web
 * servers, so it holds only characters without a meaning in any of them.
 */
export function siteUrlProblem(text: string): string | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  if (hasQuery(text)) return "has a query; remove it from the ? on";
  if (/^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?$/.test(new URL(text).pathname)) return undefined;
  return "has a path with characters that web servers read differently; use letters, digits and . _ ~ -";
}

/** Returns a URL without its scheme and without slashes at its end: the name of most mirrors. */
export function bareUrl(url: string): string {
  return url.replace(/^[a-z]+:\/\//, "").replace(/\/+$/, "");
}

/** Returns the longer of a name and a URL without its scheme if it contains the other, or undefined. */
export function nameWithUrl(name: string, url: string): string | undefined {
  const bare = bareUrl(url);
  if (bare.includes(name)) return bare;
  return name.includes(bare) ? name : undefined;
}
