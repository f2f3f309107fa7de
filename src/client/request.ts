import type { CheckOptions, Fetch, PickOptions } from "./interface.ts";
import type { Reason } from "./reasons.ts";

/** Why a feed cannot be used. Internal: the client catches it and returns its reason and cause. */
export class Unusable extends Error {
  readonly reason: Reason;

  constructor(reason: Reason, cause?: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

/** A JSON object's fields; empty for any other value. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  /** The document's text. Undefined if the document was too large: `document` then has only its first fields. */
  readonly text: string | undefined;
  readonly document: Fields;
}

/** Enough for a target of 1,400 mirrors with its report. A parsed document takes up to fifty times as much memory. */
export const maxBytes = 2_000_000;
const maxRedirects = 5;

/** Requests a JSON document with limits on redirects and size. Rejects with Unusable, or with the signal's reason. */
export async function get(url: string, fetch: Fetch, signal: AbortSignal): Promise<Answer> {
  try {
    signal.throwIfAborted();
    return await follow(url, fetch, signal);
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof Unusable) throw cause;
    throw new Unusable("no_answer", cause);
  }
}

export function fieldsOf(value: unknown): Fields {
  return { ...(typeof value === "object" && value) };
}

async function follow(start: string, fetch: Fetch, signal: AbortSignal): Promise<Answer> {
  const headers = { accept: "application/json" };
  let url = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    let response = await fetch(url, { headers, signal, redirect: "manual" });
    // Browsers hide a redirect's target from scripts, so let the browser follow it within its own limits.
    if (response.type === "opaqueredirect") response = await fetch(url, { headers, signal });
    const { status } = response;
    if (!/30[12378]/.test(`${status}`)) return { status, ...(await read(response)) };
    url = nextHop(url, response.headers.get("location") ?? "");
  }
  throw new Unusable("redirect");
}

/** Returns a redirect's URL: HTTP or HTTPS, never from HTTPS to HTTP, and without credentials. */
function nextHop(from: string, location: string): string {
  if (URL.canParse(location, from)) {
    const { protocol, href } = new URL(location, from);
    if (urlPattern.test(href) && (protocol === "https:" || from.startsWith(protocol))) return href;
  }
  throw new Unusable("redirect");
}

async function read({ body }: Response): Promise<Pick<Answer, "text" | "document">> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; size <= maxBytes;) {
    const value = (await reader?.read())?.value;
    if (value === undefined) {
      text += decoder.decode();
      return { text, document: parse(text) };
    }
    size += value.length;
    text += decoder.decode(value, { stream: true });
  }
  // From an oversized heartbeat, remove the list of nodes and all that follows, because the fields that the client
  // needs come earlier. The text of a JSON string cannot match this separator, because quotes in a string are escaped.
  const document = parse(`${text.split(',"nodes":[', 1).join()}}`);
  if ("expires_at" in document) return { text: undefined, document };
  throw new Unusable("too_large");
}

function parse(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** An HTTP or HTTPS URL without credentials or a fragment, in the characters that RFC 3986 allows. */
export const urlPattern =
  /^https?:\/\/(\[[\da-f:.]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.~:/?@!$&'()*+,;=%-]{0,2000})?$/i;

/** system/project/target, with names that need no escaping in a path. */
export const targetPattern = /^(?!(.*\/)?\.+(\/|$))[\w.~-]{1,100}(\/[\w.~-]{1,100}){2}$/;

/** A timer for more than about 24 days fires immediately. */
const maxTimeoutMs = 2e9;

/** Returns the feed's URL with a slash at the end. Throws TypeError naming an invalid argument. */
export function parseSiteUrl(url: string, target: string, options: CheckOptions & PickOptions): string {
  const { timeoutMs = 1, maxAgeMs = 0, maxStaleMs = 0, site = url } = options;
  const { min = 1, country = "DE", exclude = [] } = options;
  const href = withSlash(url);
  const valid: Readonly<Record<string, boolean>> = {
    url: urlPattern.test(href) && !/\?/.test(href),
    target: targetPattern.test(target),
    site: urlPattern.test(site) && URL.canParse(site),
    timeoutMs: timeoutMs > 0 && timeoutMs <= maxTimeoutMs,
    maxAgeMs: maxAgeMs >= 0,
    maxStaleMs: maxStaleMs >= 0,
    min: min > 0 && min % 1 === 0,
    country: /^[a-z]{2}$/i.test(country),
    // `isAtHost` rejects other invalid hosts.
    exclude: Array.isArray(exclude) && !/[\s/?#@\\]/.test(exclude.join()),
  };
  for (const name in valid) if (!valid[name]) throw new TypeError(`Invalid ${name}`);
  return href;
}

/** Throws TypeError if `url` is not a URL. */
export function withSlash(url: string): string {
  return new URL(url).href.replace(/\/*$/, "/");
}
