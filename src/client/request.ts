import { unknown, Unanswered } from "./outcome.ts";
import { type Fetch, urlPattern } from "./question.ts";

/** The fields of a JSON object; none where something else came. */
export type Fields = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly document: Fields;
}

/** The largest document that is read, in bytes: a heartbeat of 50,000 nodes is no larger. */
export const mostBytes = 8_388_608;
const mostRedirects = 5;

/**
 * GET of a JSON document, bounded in redirects and size, and in time by the signal, whether or not `fetch` hears it;
 * its abort also ends what was left unread. Rejects with Unanswered, and with the signal's reason.
 */
export async function get(url: string, fetch: Fetch, signal: AbortSignal): Promise<Answer> {
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

/** The fields of a value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" ? { ...value } : {};
}

async function follow(start: string, fetch: Fetch, signal: AbortSignal): Promise<Answer> {
  const headers = { accept: "application/json" };
  let url = start;
  for (let hops = 0; hops <= mostRedirects; hops += 1) {
    let response = await fetch(url, { headers, signal, redirect: "manual" });
    // A browser tells no script where a redirect leads, and keeps bounds of its own.
    if (response.type === "opaqueredirect") response = await fetch(url, { headers, signal });
    const { status } = response;
    if (![301, 302, 303, 307, 308].includes(status)) return { status, document: await read(response) };
    url = nextHop(url, response.headers.get("location") ?? "");
  }
  throw unknown("redirect");
}

/** Where a redirect leads: to http or https, never from https back, and with no credentials. */
function nextHop(from: string, location: string): string {
  if (URL.canParse(location, from)) {
    const { protocol, href } = new URL(location, from);
    if (urlPattern.test(href) && (protocol === "https:" || from.startsWith(protocol))) return href;
  }
  throw unknown("redirect");
}

async function read({ body }: Response): Promise<Fields> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let size = 0; size <= mostBytes;) {
    const value = (await reader?.read())?.value;
    if (value === undefined) return parse(text + decoder.decode());
    size += value.length;
    text += decoder.decode(value, { stream: true });
  }
  throw unknown("too_large");
}

function parse(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    // Whatever the parser has against it: it is not JSON.
    return {};
  }
}
