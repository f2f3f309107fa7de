import { hasInvisible, quote } from "./quote.ts";
import { InputError } from "../errors.ts";

const maxLength = 2000;

/** Checks the URL of a mirror or control. It must be normalized, so that readers see which host is requested. */
export function urlProblem(text: string): string | undefined {
  const problem = problemOf(text, /^https?:$/, "https://host/path", "only http and https are probed", "feed");
  if (problem !== undefined) return problem;
  if (text.includes("#"))
    return `${quote(text)} has a fragment, which servers never see; remove the # and everything after it`;
  const { href } = new URL(text);
  // People often leave out the slash after a bare host.
  if (href === text || href === `${text}/`) return undefined;
  return `${quote(text)} is not normalized; write ${quote(href)}`;
}

export function linkUrlProblem(text: string): string | undefined {
  const forms = "https://host/path or mailto:name@host";
  return problemOf(text, /^(?:https?|mailto):$/, forms, "use http, https or mailto", "page");
}

/** `place` is the public document that would reveal credentials. */
function problemOf(
  text: string,
  schemes: RegExp,
  forms: string,
  wrongScheme: string,
  place: string,
): string | undefined {
  if (text.length > maxLength) return `is longer than ${maxLength} characters; shorten it`;
  const shown = quote(text);
  if (hasInvisible(text)) return `${shown} contains invisible characters; remove them`;
  const complete = withScheme(text);
  if (complete !== undefined) return `${shown} has no scheme; write ${quote(complete)}`;
  const url = parseUrl(text);
  if (url === undefined) return `${shown} is not a URL; write it as ${forms}`;
  if (!schemes.test(url.protocol))
    return `${shown} has the scheme ${quote(url.protocol.slice(0, -1))}; ${wrongScheme}`;
  if (url.username === "" && url.password === "") return undefined;
  return `contains credentials, and the ${place} is public; remove the user name and password`;
}

/** Adds the scheme to a URL without one, such as `example.org/path`. Returns undefined for other text. */
export function withScheme(text: string): string | undefined {
  const isHost = /^(?:localhost|[a-z\d](?:[a-z\d-]*)(?:\.[a-z\d-]+)+)(?::\d+)?(?:[/?#]|$)/i.test(text);
  return isHost && URL.canParse(`https://${text}`) ? `https://${text}` : undefined;
}

/** Removes the user name and password from every URL in a text. */
export function withoutUserInfo(text: string): string {
  return text.replaceAll(/(?<=:\/\/)[^\s/?#]*@/g, "");
}

/** Joins an address and a port as in a URL: `[::1]:80`. */
export function hostAndPort(address: string, port: number): string {
  return `${address.includes(":") ? `[${address}]` : address}:${port}`;
}

/** Removes trailing slashes. URLs with the same key are the same mirror. */
export function urlKey(text: string): string {
  return text.replace(/(?<!\/)\/+$/, "");
}

export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

/** Web server rules contain its path, so only characters without a special meaning in any of them are allowed. */
export function siteUrlProblem(text: string): string | undefined {
  const problem = urlProblem(text);
  if (problem !== undefined) return problem;
  if (text.includes("?")) return "has a query; remove the ? and everything after it";
  if (/^(?:\/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*\/?$/.test(new URL(text).pathname)) return undefined;
  return "has a path with characters that web servers interpret differently; use only letters, digits and . _ ~ -";
}

/** Removes the scheme and trailing slashes. Most mirrors are named like this. */
export function bareUrl(url: string): string {
  return urlKey(url.replace(/^[a-z]+:\/\//, ""));
}

/** If the name contains the bare URL, or the bare URL contains the name, returns the longer one. */
export function nameWithUrl(name: string, url: string): string | undefined {
  const bare = bareUrl(url);
  if (bare.includes(name)) return bare;
  return name.includes(bare) ? name : undefined;
}

/** Parses a deployment's URL, and adds a slash at the end. Throws InputError if the URL is unusable. */
export function parseDeploymentUrl(text: string): URL {
  const url = parseUrl(text);
  // The text before an @ may be a password, even if the rest is not a URL.
  const shown = quote(text.replace(/^.*@/s, "…@"));
  const complete = withScheme(text);
  if (complete !== undefined) throw new InputError(`${shown} has no scheme; write ${quote(complete)}.`);
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#]/.test(text))
    throw new InputError(
      `${shown} is not a URL of a site; write it as https://status.example.org/, without a query or fragment.`,
    );
  if (url.username !== "" || url.password !== "")
    throw new InputError(
      "The URL contains credentials, which a feed does not use; remove everything before the @.",
    );
  if (/\/v1\/network(?:\/|$)/.test(url.pathname))
    throw new InputError(
      `${quote(text)} is a document; use the URL of the whole site, without /v1/network and what follows.`,
    );
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
