import { describe, parseHeartbeat, parseTarget } from "./documents.ts";
import { type Answer, type Fields, get, parseSiteUrl, Unusable } from "./request.ts";
import type { CheckOptions, Failure, Mirror, PassedOver, PickOptions, ResultFields } from "./interface.ts";
import { rank } from "../core/verdict/rank.ts";

type Feed = ResultFields & { readonly mirrors: readonly Mirror[] };

/** Reads a target from the first current feed. Rejects as `check` does. */
export async function readFirst(
  urls: string | readonly string[],
  target: string,
  options: CheckOptions & PickOptions,
): Promise<Feed | Failure> {
  const feeds = [urls].flat().map((url) => parseSiteUrl(url, target, options));
  // One key may sign several sites, such as a test of this one.
  const site = options.site ?? (options.publicKey && feeds[0]);
  return firstCurrent(feeds, (feed) => readFeed(feed, target, { ...options, site }));
}

async function readFeed(feed: string, target: string, options: CheckOptions): Promise<Feed | Failure> {
  const { timeoutMs = 5000, fetch: asking = fetch, signal, publicKey } = options;
  const ending = new AbortController();
  const ended = AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]);
  const timer = setTimeout(() => {
    ending.abort(new Unusable("timeout"));
  }, timeoutMs);
  const request = async (fetch: typeof asking): Promise<Feed | Failure> => {
    // Each request has its own signal, since Node.js warns about a signal with more than ten listeners.
    const getAny: Get = (path) => get(feed + path, fetch, AbortSignal.any([ended]));
    const getDocument = publicKey === undefined ? getAny : requireSignature(publicKey, getAny);
    try {
      return await requestAll(getDocument, target, options);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      const { reason, cause } = error;
      return { outcome: "unknown", reason, cause };
    }
  };
  try {
    const result = await request(asking);
    if (!result.reason?.startsWith("bad_")) return result;
    // The documents may come from different versions of the feed, either because the host is publishing a new one or
    // because a browser has cached some of them. Request them all once more, without the cache.
    return await request((url, init) => asking(url, { ...init, cache: "reload" }));
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

async function requestAll(getDocument: Get, path: string, options: CheckOptions) {
  const pendingTarget = requestTarget(getDocument, path);
  const pendingHeartbeat = requestReport(getDocument, "");
  const pendingReport = requestReport(getDocument, `${path}/`);
  // All requests run at the same time. If several fail, the code below reports only the first failure that it awaits.
  // Empty handlers keep the other failures from becoming unhandled rejections.
  for (const one of [pendingHeartbeat, pendingReport]) one.catch(() => undefined);
  const found = await pendingTarget;
  // An expired feed, or one of a different site, cannot say which targets exist.
  const heartbeat = parseHeartbeat(await pendingHeartbeat, options);
  if ("outcome" in found) return { ...found, ...heartbeat };
  // With a key, a report that cannot be read is an error, so that a host cannot hide what a signed report says.
  const isRequired = options.fresh || options.publicKey !== undefined;
  const report = await (isRequired ? pendingReport : pendingReport.catch(() => ({})));
  const described = describe(found, report, path);
  if (options.fresh && !described) throw new Unusable("no_report");
  return { mirrors: rank(described ?? found, heartbeat?.generated_at ?? ""), ...heartbeat };
}

/** Every static host serves the path with a slash at the end. Other servers may serve only the path without it. */
async function requestTarget(getDocument: Get, path: string) {
  const first = await getDocument(`v1/network/${path}/`);
  const found = parseTarget(first, path) ?? parseTarget(await getDocument(`v1/network/${path}`), path);
  if (found !== undefined) return found;
  throw new Unusable(first.status === 200 ? "not_contract" : "http_status");
}

/**
 * Requests a document below `v1/report`. Feeds of other programs have no reports, so most HTTP errors count as an empty
 * document, and so does any JSON, but a page is an error.
 */
async function requestReport(getDocument: Get, path: string): Promise<Fields> {
  const { status, document } = await getDocument(`v1/report/${path}`);
  // A server that is only temporarily unavailable may have the document.
  if (/408|429|50[234]/.test(`${status}`)) throw new Unusable("http_status");
  if (status === 200 && !Object.keys(document)[0]) throw new Unusable("not_contract");
  return status === 200 ? document : {};
}

/** Requests a path below the feed's URL. */
type Get = (path: string) => Promise<Answer>;

/**
 * Wraps `get` for a feed that must be signed by one of these keys. Rejects with Unusable unless the answer contains
 * exactly the signed document or, if no document was signed for this path, is an HTTP error. Rejects with TypeError if a
 * key is invalid.
 */
function requireSignature(publicKey: string, get: Get): Get {
  const pending = requestSignature(publicKey, get);
  // Without this handler, a failure of `pending` would be an unhandled rejection until an answer below awaits it.
  pending.catch(() => undefined);
  return async (path) => {
    const answer = await get(path);
    const { status, text, document } = answer;
    const signed = await pending;
    const isFound = status === 200;
    if (isFound && text === undefined) throw new Unusable("too_large");
    const file = `${path.replace(/\/$/, "")}/index.json`;
    if (!(await signed.has(file, isFound ? text : undefined)))
      throw new Unusable(isFound ? "bad_digest" : "http_status");
    const facts = file === "v1/report/index.json" ? Object.entries(signed.heartbeat) : [];
    if (facts.some(([name, value]) => document[name] !== value)) throw new Unusable("bad_signature");
    return answer;
  };
}

async function requestSignature(publicKey: string, get: Get) {
  const [{ verifySums }, ...answers] = await Promise.all([
    import("./signature.ts"),
    get("SHA256SUMS"),
    get("SHA256SUMS.minisig"),
  ]);
  // A server that is only temporarily unavailable may have these files.
  if (answers.some(({ status }) => status >= 429)) throw new Unusable("http_status");
  const [sums, signature] = answers.map(({ status, text }) => (status === 200 ? text : undefined));
  if (!sums || !signature) throw new Unusable("unsigned");
  const signed = await verifySums(publicKey, sums, signature);
  if (!signed) throw new Unusable("bad_signature");
  return signed;
}

type Found = ResultFields & { readonly outcome?: string };

/**
 * Asks feeds in order until one is current. If none is, returns the result of the newest expired feed that may still be
 * used, or else the first failure.
 */
export async function firstCurrent<Result extends Found>(
  urls: readonly string[],
  ask: (url: string) => Promise<Result>,
): Promise<Result> {
  const failed: Result[] = [];
  const passed_over: PassedOver[] = [];
  for (const url of urls) {
    const result = await ask(url);
    if (isCurrent(result)) return passed_over[0] ? { ...result, passed_over } : result;
    failed.push(result);
    const { reason = "http_status", stale, cause } = result;
    passed_over.push({ url, reason: stale ? "expired" : reason, cause });
  }
  const best = newest(failed) ?? failed.find(({ reason }) => reason) ?? failed[0];
  if (!best) throw new TypeError("Invalid url");
  return passed_over[1] ? { ...best, passed_over } : best;
}

/** Any server can send a 404 that looks like the contract's, so a 404 alone does not make a feed current. */
export function isCurrent({ outcome, level, generated_at, stale }: Found): boolean {
  const isFeed = level !== "unknown" || generated_at !== undefined;
  return outcome !== "unknown" && isFeed && !stale;
}

/** Returns the newest result that has a time. Of equally new ones, returns the first. */
export function newest<Result extends Found>(all: readonly Result[]): Result | undefined {
  const timeOf = ({ generated_at = "" }: Result): number => Date.parse(generated_at);
  return all.filter((one) => timeOf(one) > 0).sort((one, other) => timeOf(other) - timeOf(one))[0];
}
