import * as z from "../base/zod.ts";
import { type HttpCode, httpCodes, preciseSentences } from "../base/http/codes.ts";
import type { Status } from "../contract/network.ts";
import { contentCodes, freshnessCodes } from "./mirror-content.ts";
import type { Kind, KindOptions } from "./kind.ts";
import * as registry from "./kind-registry.ts";

export type KindName = keyof typeof registry;

export const kinds: Readonly<Record<KindName, Kind>> = registry;

export const kindNames: readonly KindName[] = Object.keys(registry).filter(isKindName).sort();

export const defaultKind: KindName = "git";

export const kindOptions = Object.fromEntries(
  kindNames.flatMap((name) => {
    const { options } = kinds[name];
    if (options === undefined) return [];
    const schema = z.strictObject(options.shape).describe(`Options for the kind \`${name}\`.`);
    return [[name, schema.exactOptional()]];
  }),
);

const ownCodes = Object.fromEntries(kindNames.flatMap((name) => Object.entries(kinds[name].codes)));
const { too_large, blocked_address, ...firstCodes } = httpCodes;
const kindCodes = { ...firstCodes, ...ownCodes, too_large, blocked_address };
const sentences = { ...kindCodes, ...contentCodes, ...freshnessCodes };

/** All observation codes, in the order in which the documentation lists them. */
export const codes: readonly string[] = Object.keys(sentences);

/** Also matches codes that only other versions of mirrorfeed have. */
export const codePattern = /^[a-z][a-z0-9_]{0,63}$/;

export function isKnownCode(code: string): boolean {
  return Object.hasOwn(sentences, code);
}

/** Codes that prove nothing about a mirror, because others get another answer. */
const noEvidence: ReadonlySet<string> = new Set<HttpCode>([
  "rate_limited",
  "challenge",
  "no_route",
  "captive_portal",
]);

/** Returns the status that a code is evidence for, or undefined if it proves nothing. */
export function evidence(code: string | undefined): Status | undefined {
  if (code === undefined || noEvidence.has(code) || !isKnownCode(code)) return undefined;
  return code === "ok" ? 1 : 0;
}

export function isContentCode(code: string | undefined): boolean {
  return code !== undefined && (Object.hasOwn(contentCodes, code) || Object.hasOwn(freshnessCodes, code));
}

export interface Reason {
  readonly phase?: string | undefined;
  readonly cause?: string | undefined;
  readonly tls_expires_at?: string | undefined;
}

const reasons = new Map([...Object.entries(sentences), ...preciseSentences]);

export function expiredCertificate(code: string, { cause, tls_expires_at }: Reason = {}): string | undefined {
  return code === "tls" && cause === "CERT_HAS_EXPIRED" ? tls_expires_at : undefined;
}

/** Returns the most precise sentence. For `tls`, it depends on the cause. For all other codes, it depends on the phase. */
export function sentenceOf(code: string, reason: Reason = {}): string {
  const expired = expiredCertificate(code, reason);
  if (expired !== undefined) return `Its certificate expired on ${expired.slice(0, 10)}.`;
  const { phase = "", cause = "" } = reason;
  return (
    reasons.get(`${code} ${code === "tls" ? cause : phase}`) ??
    reasons.get(code) ??
    "This version of mirrorfeed does not know this code."
  );
}

/** Returns the problem with a mirror's URL and the remedy, or undefined. */
export function kindUrlProblem(kind: KindName, url: string): string | undefined {
  const { urlProblem = queryProblem } = kinds[kind];
  return urlProblem(url);
}

/** Paths of files are relative to the URL. */
function queryProblem(url: string): string | undefined {
  const problem = "has a query, which only http mirrors may have; remove the ? and everything after it";
  return /^[^#]*\?/.test(url) ? problem : undefined;
}

export function mirrorPath(kind: KindName, { pathname }: URL): string {
  const path = pathname.replace(/\/*$/, "");
  return kinds[kind].mirrorPath?.(path) ?? path;
}

export function isKindName(text: string): text is KindName {
  return Object.hasOwn(registry, text);
}

/** A keyring's path means nothing on other machines. */
export function withoutKeyring(options: KindOptions): KindOptions {
  return Object.fromEntries(Object.entries(options).filter(([key]) => key !== "keyring"));
}

export function kindsText(): string {
  return kindNames.map((name) => `\`${name}\`: ${kinds[name].description}`).join(" ");
}

export function contentText(field: "revision" | "branch"): string {
  const texts = kindNames.flatMap((name) => {
    const meaning = kinds[name][field]?.meaning;
    return meaning === undefined ? [] : [`${name}: ${meaning}`];
  });
  return texts.join("; ");
}
