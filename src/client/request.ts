import { unknown, Unanswered, type Fetch, type FetchResponse, type Signal, urlPattern } from "./interface.ts";

/** The fields of a JSON object. Empty for any other value. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  /** Undefined if the document is too large, and only the beginning of it was read. */
  readonly text: string | undefined;
  readonly document: Fields;
}

/**
 * How much of a document is read, in bytes: enough for a target of 400 mirrors with its whole report. A parsed document
 * takes up to fifty times its size in memory.
 */
export const maxBytes = 2_000_000;
const maxRedirects = 5;

/**
 * Requests a JSON document with limits on redirects and size. The signal limits the time, even if `fetch` ignores it,
 * and ends unread bodies. Rejects with Unanswered, and with the signal's reason.
 */
export async function get(url: string, fetch: Fetch, signal: Signal): Promise<Answer> {
  try {
    signal.throwIfAborted();
    return await new Promise((resolve, reject) => {
      signal.addEventListener("abort", reject);
      follow(url, fetch, signal).then(resolve, reject);
    });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (cause instanceof Unanswered) throw cause;
    throw unknown("no_answer", cause);
  }
}

export function fieldsOf(value: unknown): Fields {
  return { ...(typeof value === "object" && value) };
}

async function follow(start: string, fetch: Fetch, signal: Signal): Promise<Answer> {
  const headers = { accept: "application/json" };
  let url = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    let response = await fetch(url, { headers, signal, redirect: "manual" });
    // A browser does not reveal the target of a redirect to a script, and has its own limits.
    if (response.type === "opaqueredirect") response = await fetch(url, { headers, signal });
    const { status } = response;
    if (!/30[12378]/.test(`${status}`)) return { status, ...(await read(response)) };
    url = nextHop(url, response.headers.get("location") ?? "");
  }
  throw unknown("redirect");
}

/** Returns the URL of a redirect: HTTP or HTTPS, never from HTTPS back to HTTP, and without credentials. */
function nextHop(from: string, location: string): string {
  if (URL.canParse(location, from)) {
    const { protocol, href } = new URL(location, from);
    if (urlPattern.test(href) && (protocol === "https:" || from.startsWith(protocol))) return href;
  }
  throw unknown("redirect");
}

async function read({ body }: FetchResponse): Promise<Pick<Answer, "text" | "document">> {
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
  // A heartbeat that is too large begins with all that the client needs. A quote within a JSON string follows a backslash, so
  // this is where the list of nodes begins.
  const document = parse(`${text.split(',"nodes":[', 1).join()}}`);
  if ("expires_at" in document) return { text: undefined, document };
  throw unknown("too_large");
}

function parse(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    // The text is not JSON, whatever the parser reports.
    return {};
  }
}
