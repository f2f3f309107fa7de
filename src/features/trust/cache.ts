import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { platform } from "node:os";
import { isAbsolute, join } from "node:path";
import * as z from "../../core/base/zod.ts";
import type { Fetch } from "../../client/index.ts";
import { errorCode } from "../../core/base/errors.ts";
import { makeFolder } from "../../core/base/files/folders.ts";
import { replaceFiles } from "../../core/base/files/replace-file.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";

/** A cached answer. Each answer is stored in its own file. */
const keptSchema = z.strictObject({
  schema: z.literal(1),
  url: z.string(),
  status: z.int().min(200).max(399),
  etag: z.string().optional(),
  location: z.string().optional(),
  /** When the cached feed expires. If this is missing, the answer is never used without asking the server. */
  expires_at: z.iso.datetime().optional(),
  body: z.string(),
});

type Kept = z.infer<typeof keptSchema>;

/** When the newest data accepted from a signed site was made. Each combination of site and public key has its own file. */
const seenSchema = z.strictObject({ schema: z.literal(1), generated_at: z.iso.datetime() });

/** Answers with these statuses are cached. They are documents and redirects to documents. */
const keptStatuses: readonly number[] = [200, 301, 302, 303, 307, 308];

/**
 * Returns a cache of the answers of `fetch`, which must limit their size. A cache that cannot be read or written, or has
 * no folder, counts as empty. Readers with a public key have their own answers, so that unsigned ones never replace
 * these. The result's `fetch` sends a conditional request and remembers the answer. `last` returns the cached answer
 * without a request, and rejects if there is none or it has expired. `keep` stores the remembered answers with the time
 * at which they expire.
 */
export function openFeedCache(
  folder: string | undefined,
  publicKey: string | undefined,
  fetch: Fetch,
  now: () => number,
) {
  const noted = new Map<string, Kept>();
  const read = async (url: string): Promise<Kept | undefined> => {
    if (folder === undefined) return undefined;
    const kept = await readDocument(fileOf(folder, publicKey, url), keptSchema);
    return kept?.url === url ? kept : undefined;
  };
  const ask: Fetch = async (url, init) => {
    const kept = await read(url);
    const headers = new Headers(init.headers);
    // The client sets `cache` when it requests all documents again because they came from different versions of the
    // feed. Some may have come from this cache, so ask for the whole document.
    if (kept?.etag !== undefined && init.cache === undefined) headers.set("if-none-match", kept.etag);
    const response = await fetch(url, { ...init, headers });
    if (response.status === 304 && kept !== undefined) {
      noted.set(url, kept);
      return responseOf(kept);
    }
    const { status } = response;
    const [etag, location] = ["etag", "location"].map((name) => response.headers.get(name) ?? undefined);
    const answer: Kept = { schema: 1, url, status, etag, location, body: await response.text() };
    if (keptStatuses.includes(status)) noted.set(url, answer);
    return responseOf(answer);
  };
  const last: Fetch = async (url) => {
    const kept = await read(url);
    if (kept?.expires_at === undefined || now() >= Date.parse(kept.expires_at))
      throw new Error("There is no valid cached answer.");
    return responseOf(kept);
  };
  const keep = async (expiresAt: string | undefined): Promise<void> => {
    if (folder === undefined) return;
    const documents = [...noted.values()].map((kept) => {
      return { file: fileOf(folder, publicKey, kept.url), document: { ...kept, expires_at: expiresAt } };
    });
    await storeDocuments(folder, documents);
  };
  return { fetch: ask, last, keep };
}

/**
 * Returns the cache folder by the XDG Base Directory Specification or the platform's convention, or undefined if the
 * environment does not name one.
 */
export function cacheFolder(environment: CommandContext["environment"]): string | undefined {
  const at = (name: string, ...below: readonly string[]): string | undefined => {
    const folder = environment[name] ?? "";
    return isAbsolute(folder) ? join(folder, ...below, "mirrorfeed") : undefined;
  };
  const below = platform() === "darwin" ? ["Library", "Caches"] : [".cache"];
  return at("XDG_CACHE_HOME") ?? (platform() === "win32" ? at("LOCALAPPDATA") : at("HOME", ...below));
}

function fileOf(folder: string, publicKey = "", ...names: readonly string[]): string {
  return join(folder, `${hash("sha256", [publicKey, ...names].join("\n"))}.json`);
}

function readDocument<Document>(file: string, schema: z.ZodType<Document>): Promise<Document | undefined> {
  return orNothing(async () => schema.safeParse(tryParseJson(await readFile(file, "utf8"))).data);
}

/** Remembers the newest data of a site with a public key, if the file system allows it. */
export function openMemory(folder: string, publicKey: string, site: string) {
  const file = fileOf(folder, publicKey, "seen", site);
  return {
    load: async (): Promise<string | undefined> => (await readDocument(file, seenSchema))?.generated_at,
    store: (generated_at: string): Promise<void> =>
      storeDocuments(folder, [{ file, document: { schema: 1, generated_at } }]),
  };
}

/** Writes all documents into the cache or, if the file system does not allow it, none. */
async function storeDocuments(
  folder: string,
  documents: readonly { readonly file: string; readonly document: Kept | z.infer<typeof seenSchema> }[],
): Promise<void> {
  const files = documents.map(({ file, document }) => ({ file, content: JSON.stringify(document) }));
  await orNothing(() => {
    makeFolder(folder, 0o700);
    replaceFiles(files, { mode: 0o600, flush: false });
  });
}

/** Returns undefined after a file system error. */
async function orNothing<Result>(action: () => Result | Promise<Result>): Promise<Result | undefined> {
  try {
    return await action();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

interface Answer extends Pick<Kept, "status" | "etag" | "location"> {
  readonly body: string | Uint8Array<ArrayBuffer>;
}

export function responseOf({ status, body, etag, location }: Answer): Response {
  const headers = { ...(etag !== undefined && { etag }), ...(location !== undefined && { location }) };
  // The constructor of Response refuses a body for these statuses ("null body status" in the Fetch standard).
  return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
}
