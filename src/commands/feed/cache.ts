import { createHash, randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { platform } from "node:os";
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import type { Fetch } from "../../client/index.ts";
import { errorCode } from "../../errors.ts";
import { jsonValue } from "../../json-value.ts";
import { responseOf } from "./network.ts";
import type { Setting } from "../setting.ts";

/** What is kept of an answer, in a file of its own. */
const keptSchema = z.strictObject({
  schema: z.literal(1),
  url: z.string(),
  status: z.int().min(200).max(399),
  etag: z.string().optional(),
  location: z.string().optional(),
  /** Until when the feed it is of holds; absent where that is not known, and then it never stands for an answer. */
  expires_at: z.iso.datetime().optional(),
  body: z.string(),
});

type Kept = z.infer<typeof keptSchema>;

/** The documents of feeds that came before. A cache that cannot be read or written is an empty one. */
export interface FeedCache {
  /** Asks, sparing what has not changed since, and notes what came. */
  readonly fetch: Fetch;
  /** Gives what is kept and still holds, and asks nobody. */
  readonly last: Fetch;
  /** Keeps what came, which holds until this moment. */
  readonly keep: (expiresAt: string | undefined) => Promise<void>;
}

/** How large the cache may be, all in all. */
const mostFiles = 256;
const mostBytes = 64 * 1024 * 1024;

/** The answers that are worth keeping: documents, and the ways to them. */
const keptStatuses: readonly number[] = [200, 301, 302, 303, 307, 308];

/** The cache in a folder, in front of a `fetch` whose answers are bounded; without a folder it keeps nothing. */
export function openFeedCache(folder: string | undefined, ask: Fetch, now: () => number): FeedCache {
  const noted = new Map<string, Kept>();
  return {
    fetch: async (url, init) => {
      const kept = await read(folder, url);
      const headers = new Headers(init.headers);
      if (kept?.etag !== undefined) headers.set("if-none-match", kept.etag);
      const response = await ask(url, { ...init, headers: Object.fromEntries(headers) });
      if (response.status === 304 && kept !== undefined) {
        noted.set(url, kept);
        return answerOf(kept);
      }
      const { status } = response;
      const [etag, location] = ["etag", "location"].map((name) => response.headers.get(name) ?? undefined);
      const body = await response.text();
      if (keptStatuses.includes(status)) noted.set(url, { schema: 1, url, status, etag, location, body });
      return responseOf(status, body, { location });
    },
    last: async (url) => {
      const kept = await read(folder, url);
      if (kept?.expires_at === undefined || now() >= Date.parse(kept.expires_at))
        throw new Error("Nothing is kept of it that holds.");
      return answerOf(kept);
    },
    keep: async (expiresAt) => {
      if (folder === undefined) return;
      for (const kept of noted.values()) await write(folder, { ...kept, expires_at: expiresAt });
      await prune(folder);
    },
  };
}

/** The folder of the cache: of the XDG base directories, or where this platform has it; undefined where it has none. */
export function cacheFolder(environment: Setting["environment"]): string | undefined {
  const at = (name: string, ...below: readonly string[]): string | undefined => {
    const folder = environment[name] ?? "";
    return isAbsolute(folder) ? join(folder, ...below, "mirrorfeed") : undefined;
  };
  const own = at("XDG_CACHE_HOME");
  if (own !== undefined) return own;
  if (platform() === "win32") return at("LOCALAPPDATA");
  return platform() === "darwin" ? at("HOME", "Library", "Caches") : at("HOME", ".cache");
}

function answerOf({ status, body, location }: Kept): Response {
  return responseOf(status, body, { location });
}

function fileOf(folder: string, url: string): string {
  return join(folder, `${createHash("sha256").update(url).digest("hex")}.json`);
}

async function read(folder: string | undefined, url: string): Promise<Kept | undefined> {
  if (folder === undefined) return undefined;
  return orNothing(async () => {
    const file = fileOf(folder, url);
    const { size } = await stat(file);
    const text = size <= mostBytes ? await readFile(file, "utf8") : "";
    const { data } = keptSchema.safeParse(jsonValue(text));
    return data?.url === url ? data : undefined;
  });
}

async function write(folder: string, kept: Kept): Promise<void> {
  await orNothing(async () => {
    const file = fileOf(folder, kept.url);
    const temporary = `${file}.${randomUUID()}.tmp`;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(temporary, JSON.stringify(kept), { flag: "wx", mode: 0o600 });
      await rename(temporary, file);
    } finally {
      await rm(temporary, { force: true });
    }
  });
}

/** Removes the oldest files, and what was left of processes that were killed, where there is too much. */
async function prune(folder: string): Promise<void> {
  await orNothing(async () => {
    const files = (await readdir(folder)).map((name) => join(folder, name));
    const sized = await Promise.all(
      files.map(async (file) => {
        const found = await orNothing(() => stat(file));
        return { file, size: found?.size ?? 0, at: found?.mtimeMs ?? 0 };
      }),
    );
    let size = 0;
    const newest = sized.sort((left, right) => right.at - left.at);
    for (const [place, one] of newest.entries()) {
      size += one.size;
      if (place >= mostFiles || size > mostBytes) await rm(one.file, { force: true });
    }
  });
}

/** What a cache gives where the file system refuses, or what is there is broken: nothing. */
async function orNothing<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await action();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
