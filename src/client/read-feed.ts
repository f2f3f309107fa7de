import { type Mirror, parseHeartbeat, parseReport, parseTarget } from "./documents.ts";
import { parseSiteUrl } from "./arguments.ts";
import type {
  CheckOptions,
  Failure,
  FeedOptions,
  Fetch,
  Heartbeat,
  PickOptions,
  Search,
} from "./interface.ts";
import { firstCurrent } from "./order.ts";
import { rank } from "../core/verdict/rank.ts";
import { type Answer, type Fields, get, unknown, Unanswered } from "./request.ts";
import type { SignedFeed } from "./signature.ts";

/** A target's mirrors, best first. The heartbeat's fields are missing if the feed publishes only the contract. */
export interface Feed extends Search, Partial<Heartbeat> {
  readonly mirrors: readonly Mirror[];
}

/** Reads a target from the first current feed. Rejects as `check` does. */
export async function readFirst(
  urls: string | readonly string[],
  target: string,
  options: CheckOptions & PickOptions,
  needsReport = false,
): Promise<Feed | Failure> {
  const feeds = [urls].flat().map((url) => parseSiteUrl(url, target, options));
  // One key may sign several sites, such as a test of this one.
  const site = options.site ?? (options.publicKey && feeds[0]);
  const { result, passedOver: passed_over } = await firstCurrent(feeds, (feed) =>
    readFeed(feed, target, { ...options, site }, needsReport),
  );
  return { ...result, ...(passed_over && { passed_over }) };
}

async function readFeed(
  feed: string,
  target: string,
  options: FeedOptions,
  needsReport: boolean,
): Promise<Feed | Failure> {
  const { timeoutMs = 5000, fetch: asking = fetch, signal, publicKey } = options;
  const ending = new AbortController();
  const ended = AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]);
  const timer = setTimeout(() => {
    ending.abort(unknown("timeout"));
  }, timeoutMs);
  try {
    const request = (fetch: Fetch): Promise<Feed> => {
      // Each request has its own signal, since Node.js warns about a signal with more than ten listeners.
      const getAny: Get = (path) => get(feed + path, fetch, AbortSignal.any([ended]));
      const getDocument = publicKey === undefined ? getAny : requireSignature(publicKey, getAny);
      return requestAll(getDocument, target, options, needsReport);
    };
    // The documents may come from different versions of the feed, either because the host is publishing a new one or
    // because a browser has cached some of them. Request them all once more, without the cache.
    const requestAgain = (error: unknown): Promise<Feed> => {
      const isMixed =
        error instanceof Unanswered && "reason" in error.result && /^bad_/.test(error.result.reason);
      if (!isMixed) throw error;
      return request((url, init) => asking(url, { ...init, cache: "reload" }));
    };
    return await request(asking).catch(requestAgain);
  } catch (error) {
    if (error instanceof Unanswered) return error.result;
    throw error;
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

async function requestAll(
  getDocument: Get,
  path: string,
  options: FeedOptions,
  needsReport: boolean,
): Promise<Feed> {
  const pendingTarget = requestTarget(getDocument, path);
  const pendingHeartbeat = requestReport(getDocument, "").then((document) =>
    parseHeartbeat(document, options),
  );
  const pendingReport = requestReport(getDocument, `${path}/`).then((document) =>
    parseReport(document, path),
  );
  // All requests run at the same time. If several fail, the code below reports only the first failure that it awaits.
  // Empty handlers keep the other failures from becoming unhandled rejections.
  for (const one of [pendingHeartbeat, pendingReport]) one.catch(() => undefined);
  const mirrors = await pendingTarget.catch(async (error: unknown) => {
    if (!(error instanceof Unanswered) || error.result.outcome === "unknown") throw error;
    // An expired feed, or one of a different site, cannot say which targets exist.
    throw new Unanswered({ ...error.result, ...(await pendingHeartbeat) });
  });
  const heartbeat = await pendingHeartbeat;
  // With a key, a report that cannot be read is an error, so that a host cannot hide what a signed report says.
  const reports = await (needsReport || options.publicKey !== undefined
    ? pendingReport
    : pendingReport.catch(() => undefined));
  if (needsReport && !reports) throw unknown("no_report");
  const described = mirrors.map((mirror) => ({ ...mirror, ...reports?.get(mirror.id) }));
  return { mirrors: rank(described, heartbeat?.generated_at ?? ""), ...heartbeat };
}

/**
 * First requests the path with a slash at the end, because every static host serves that. If the answer does not follow
 * the contract, requests the path without the slash.
 */
async function requestTarget(getDocument: Get, path: string): Promise<Mirror[]> {
  const first = await getDocument(`v1/network/${path}/`);
  const mirrors = parseTarget(first, path) ?? parseTarget(await getDocument(`v1/network/${path}`), path);
  if (mirrors !== undefined) return mirrors;
  throw unknown(first.status === 200 ? "not_contract" : "http_status");
}

/**
 * Requests a document below `v1/report`. Feeds of other programs have no reports, so most HTTP errors count as an empty
 * document, and so does any JSON, but a page is an error.
 */
async function requestReport(getDocument: Get, path: string): Promise<Fields> {
  const { status, document } = await getDocument(`v1/report/${path}`);
  // A server that is only temporarily unavailable may have the document.
  if (/408|429|50[234]/.test(`${status}`)) throw unknown("http_status");
  if (status === 200 && !Object.keys(document)[0]) throw unknown("not_contract");
  return status === 200 ? document : {};
}

/** Requests a path below the feed's URL. */
type Get = (path: string) => Promise<Answer>;

/**
 * Wraps `get` for a feed that must be signed by one of these keys. Rejects with Unanswered for anything the signature
 * does not cover, and with TypeError if a key is invalid.
 */
function requireSignature(publicKey: string, get: Get): Get {
  const pending = requestSignature(publicKey, get);
  // Without this handler, a failure of `pending` would be an unhandled rejection until an answer below awaits it.
  pending.catch(() => undefined);
  return async (path) => {
    const answer = await get(path);
    await requireMatch(await pending, path, answer);
    return answer;
  };
}

async function requestSignature(publicKey: string, get: Get): Promise<SignedFeed> {
  const [{ verifySums }, ...answers] = await Promise.all([
    import("./signature.ts"),
    get("SHA256SUMS"),
    get("SHA256SUMS.minisig"),
  ]);
  // A server that is only temporarily unavailable may have these files.
  if (answers.some(({ status }) => status >= 429)) throw unknown("http_status");
  const [sums, signature] = answers.map(({ status, text }) => (status === 200 ? text : undefined));
  if (!sums || !signature) throw unknown("unsigned");
  const signed = await verifySums(publicKey, sums, signature);
  if (!signed) throw unknown("bad_signature");
  return signed;
}

const heartbeat = "v1/report/index.json";

/**
 * Throws Unanswered unless the answer contains exactly the signed document or, if no document was signed for this path,
 * is an HTTP error.
 */
async function requireMatch(
  signed: SignedFeed,
  path: string,
  { status, text, document }: Answer,
): Promise<void> {
  const file = `${path.replace(/\/$/, "")}/index.json`;
  const isFound = status === 200;
  if (isFound && text === undefined) throw unknown("too_large");
  if (!(await signed.has(file, isFound ? text : undefined)))
    throw unknown(isFound ? "bad_digest" : "http_status");
  const { feed: site_url, run, generated_at, expires_at } = signed;
  const facts = Object.entries({ site_url, run, generated_at, expires_at });
  if (file === heartbeat && facts.some(([name, value]) => document[name] !== value))
    throw unknown("bad_signature");
}
