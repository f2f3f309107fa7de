import { unknown } from "./interface.ts";
import type { Answer } from "./request.ts";
import type { SignedFeed } from "./signature.ts";

/** Requests a path below the feed's URL. */
export type Get = (path: string) => Promise<Answer>;

/**
 * Wraps `get` for a feed that must be signed by one of these keys. Rejects with Unanswered for anything the signature
 * does not cover, and with TypeError if a key is invalid.
 */
export function requireSignature(publicKey: string, get: Get): Get {
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
