import { type Mirror, type Moments, readHeartbeat, readReport, readTarget } from "./documents.ts";
import { unknown, type NotFound, type Unknown, Unanswered } from "./outcome.ts";
import { type FeedOptions, readSite } from "./question.ts";
import { rank } from "./rank.ts";
import { type Answer, type Fields, get } from "./request.ts";

/** The mirrors of a target, the best first; the moments are absent where the feed has the contract alone. */
export interface Feed extends Partial<Moments> {
  readonly mirrors: readonly Mirror[];
}

/** What the report of the target is for: nothing, to tell more if there is one, or nothing is known without it. */
export type ReportUse = "omit" | "tell" | "need";

/** Gives the answer at a path below `v1/`. */
type Ask = (path: string) => Promise<Answer>;

/** What a server says that cannot answer just now: it may well have the document. */
const passing: readonly number[] = [408, 429, 502, 503, 504];

/**
 * Asks a feed for a target, and beside it for the heartbeat, and for the report of the target where that is of use.
 * Gives what `conclude` makes of it, and whatever else the feed does as a value. Rejects with TypeError where the
 * question is not right, and with the reason of the signal.
 */
export async function readFeed<Conclusion>(
  url: string,
  target: string,
  options: FeedOptions,
  use: ReportUse,
  conclude: (feed: Feed) => Conclusion,
): Promise<Conclusion | NotFound | Unknown> {
  const { timeoutMs = 5000, fetch: asking = fetch, signal } = options;
  const site = readSite(url, target);
  const ending = new AbortController();
  const ended = AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]);
  const timer = setTimeout(() => {
    ending.abort(unknown("timeout"));
  }, timeoutMs);
  try {
    const ask: Ask = (path) => get(`${site}v1/${path}`, asking, ended);
    return conclude(await askAll(ask, target, options, use));
  } catch (error) {
    if (error instanceof Unanswered) return error.result;
    throw error;
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

async function askAll(ask: Ask, path: string, options: FeedOptions, use: ReportUse): Promise<Feed> {
  const asked = askTarget(ask, path);
  const askedHeartbeat = askBeside(ask, "").then((document) => readHeartbeat(document, options));
  const askedReport =
    use === "omit" ? undefined : askBeside(ask, `${path}/`).then((document) => readReport(document, path));
  // Side by side, and looked at in this order: what fails behind a failure is of no interest.
  for (const one of [askedHeartbeat, askedReport]) one?.catch(() => undefined);
  const mirrors = await asked;
  const heartbeat = await askedHeartbeat;
  const told = await (use === "tell" ? askedReport?.catch(() => undefined) : askedReport);
  if (use === "need" && !told) throw unknown("no_report");
  const described = mirrors.map((mirror) => ({
    ...mirror,
    ...heartbeat?.told.get(mirror.id),
    ...told?.get(mirror.id),
  }));
  return { mirrors: rank(described), ...heartbeat?.moments };
}

/** The form with a slash at its end, which every static host has; then, once, the other. */
async function askTarget(ask: Ask, path: string): Promise<Mirror[]> {
  const first = await ask(`network/${path}/`);
  const mirrors = readTarget(first, path) ?? readTarget(await ask(`network/${path}`), path);
  if (mirrors !== undefined) return mirrors;
  throw unknown(first.status === 200 ? "not_contract" : "http_status");
}

/** A document beside the contract, which other programs do not have: what they answer instead is none. */
async function askBeside(ask: Ask, path: string): Promise<Fields> {
  const { status, document } = await ask(`report/${path}`);
  if (passing.includes(status)) throw unknown("http_status");
  return status === 200 ? document : {};
}
