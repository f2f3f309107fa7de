import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "../../core/base/zod.ts";
import { InputError } from "../../core/base/errors.ts";
import type { LockOptions } from "../../core/base/files/lock.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { documentPath, reportRoot } from "../../core/contract/contract.ts";
import { readManifest, withSiteLock } from "../../core/site/manifest.ts";
import { addToSite } from "../../core/site/write.ts";
import { type SigningKey, signWith } from "./minisign.ts";
import { requireSite, sitePaths } from "../../core/site/site-paths.ts";

const sumsPath = "SHA256SUMS";
const signaturePath = `${sumsPath}.minisig`;

/**
 * Files that get no digest: those that only people read (pages, assets, badges, change feeds), the signature files
 * themselves, and dotfiles, which no host serves.
 */
const unsigned = /(?:^|\/)\.|\.html$|^(?:assets|badge|feed)\/|^SHA256SUMS/;

const field = z.string().regex(/^\S+$/);
const heartbeatSchema = z.looseObject({
  run: field,
  generated_at: field,
  expires_at: field,
  site_url: field,
});

/**
 * Writes SHA256SUMS and its signature into a site, and returns the text of SHA256SUMS. Throws InputError unless the
 * site is finished and knows its URL.
 */
export async function signSite(out: string, key: SigningKey, options: LockOptions): Promise<string> {
  const addSignature = (): string => {
    const comment = renderComment(out);
    const sums = renderSums(out, sitePaths(out));
    addToSite(out, { [sumsPath]: sums, [signaturePath]: signWith(key, sums, comment) });
    return sums;
  };
  // A copy of a site, such as an artifact, has no manifest to check, and needs no lock.
  if (readManifest(out) === undefined) return addSignature();
  requireSite(out);
  return withSiteLock(out, options, () => Promise.resolve(addSignature()));
}

/** Throws InputError if a signed site's documents have changed since it was signed. */
export function requireOwnSums(out: string, paths: readonly string[]): void {
  const found = paths.filter((path) => path === sumsPath || path === signaturePath);
  if (found.length === 0) return;
  if (found.length === 2 && readFileSync(join(out, sumsPath), "utf8") === renderSums(out, paths)) return;
  throw new InputError(`${out} changed after it was signed; run mirrorfeed sign again.`);
}

/** Renders the digests of the documents that programs act on, in the format of sha256sum. */
function renderSums(out: string, paths: readonly string[]): string {
  const signed = paths.filter((path) => !unsigned.test(path)).sort();
  return signed.map((path) => `${hash("sha256", readFileSync(join(out, path)))}  ${path}\n`).join("");
}

/** Renders the trusted comment: the heartbeat's facts about the run, in the form that the client parses. */
function renderComment(out: string): string {
  const file = join(out, documentPath(reportRoot));
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const { data } = heartbeatSchema.safeParse(tryParseJson(text));
  if (data === undefined)
    throw new InputError(
      `${out} is not a site with a URL; set site.url in mirrors.json and run mirrorfeed run, or name another folder with --out.`,
    );
  const { site_url, run, generated_at, expires_at } = data;
  return `feed:${site_url}\trun:${run}\tgenerated_at:${generated_at}\texpires_at:${expires_at}`;
}
