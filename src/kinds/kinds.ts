import { httpCodes, preciseSentences } from "../base/http/codes.ts";
import { contentCodes, freshnessCodes } from "./mirror-content.ts";
import type { Kind } from "./kind.ts";
import * as registry from "./registry.ts";
import { strictObject } from "./strict-object.ts";

export type KindName = keyof typeof registry;

/** The options of one kind that mirrors.json sets. */
export type KindOptions = Readonly<Record<string, unknown>>;

/** Every kind by its name. */
export const kinds: Readonly<Record<KindName, Kind>> = registry;

/** The names of all kinds, in alphabetical order. */
export const kindNames: readonly KindName[] = Object.keys(registry).filter(isKindName).sort();

/** The kind of a node that names none. */
export const defaultKind: KindName = "git";

/** The options of each kind that has some, as keys of `probe` with the name of the kind. */
export const kindOptions = Object.fromEntries(
  kindNames.flatMap((name) => {
    const { options } = kinds[name];
    if (options === undefined) return [];
    const described = strictObject(options.shape).describe(`Options of the kind \`${name}\`.`);
    return [[name, described.exactOptional()]];
  }),
);

/** The codes that belong to a kind, with their sentences. */
const ownCodes = Object.fromEntries(kindNames.flatMap((name) => Object.entries(kinds[name].codes)));
const { too_large, blocked_address, ...firstCodes } = httpCodes;
const kindCodes = { ...firstCodes, ...ownCodes, too_large, blocked_address };
const sentences = { ...kindCodes, ...contentCodes, ...freshnessCodes };

/** Every code of an observation, in the order of the documents. */
export const codes: readonly string[] = Object.keys(sentences);

/** The pattern of a code, of other versions too. */
export const codePattern = /^[a-z][a-z0-9_]{0,63}$/;

/** The pattern of a phase, of other versions too. */
export const phasePattern = /^[a-z]{1,20}$/;

/** Returns whether this version knows a code. Results and states may come from another version. */
export function isKnownCode(code: string): boolean {
  return Object.hasOwn(sentences, code);
}

/** Returns whether a code belongs to a kind. */
export function isKindCode(code: string): boolean {
  return Object.hasOwn(ownCodes, code);
}

/** What is known beside a code. */
export interface Reason {
  readonly phase?: string | undefined;
  readonly cause?: string | undefined;
  readonly tls_expires_at?: string | undefined;
}

/** Every sentence by the code, and by the code with a phase or a cause if that says more. */
const reasons = new Map([...Object.entries(sentences), ...preciseSentences]);

/** The keys of all sentences, for other languages. */
export const reasonKeys: readonly string[] = [...reasons.keys()];

/** Returns the key of the sentence that says most: the code with its phase, a TLS failure with its cause, or the code alone. */
export function reasonKey(code: string, { phase = "", cause = "" }: Reason = {}): string {
  const precise = `${code} ${code === "tls" ? cause : phase}`;
  return reasons.has(precise) ? precise : code;
}

/** Returns when the certificate expired (ISO 8601), if that is why a request failed. */
export function expiredCertificate(code: string, { cause, tls_expires_at }: Reason = {}): string | undefined {
  return code === "tls" && cause === "CERT_HAS_EXPIRED" ? tls_expires_at?.slice(0, 10) : undefined;
}

/**
 * Returns what a code means, for people: of a certificate that is not acceptable, why; of other failures, how far the
 * request came, if that says more.
 */
export function sentenceOf(code: string, reason: Reason = {}): string {
  const expired = expiredCertificate(code, reason);
  if (expired !== undefined) return `Its certificate expired on ${expired}.`;
  return (
    reasons.get(reasonKey(code, reason)) ??
    "This version of mirrorfeed does not know the code of what was seen."
  );
}

/**
 * Returns the path of a URL as far as it names a mirror of a kind, without slashes at its end: equal paths are the same
 * mirror.
 */
export function mirrorPath(kind: KindName, { pathname }: URL): string {
  const path = pathname.replace(/\/*$/, "");
  return kinds[kind].mirrorPath?.(path) ?? path;
}

/** Returns whether a text is the name of a kind. */
export function isKindName(text: string): text is KindName {
  return Object.hasOwn(registry, text);
}

/** Returns options of a kind without the paths of keyrings, which are files of one machine. */
export function withoutKeyrings(kind: KindName, options: KindOptions): KindOptions {
  const { keyrings = [] } = kinds[kind];
  return Object.fromEntries(Object.entries(options).filter(([key]) => !keyrings.includes(key)));
}

/** Returns a line that describes every kind. */
export function kindsText(): string {
  return kindNames.map((name) => `\`${name}\`: ${kinds[name].description}`).join(" ");
}

/** Returns what a field of the content means, for each kind that has it. */
export function contentText(field: keyof Kind["content"]): string {
  return kindNames
    .flatMap((name) => {
      const meaning = kinds[name].content[field]?.meaning;
      return meaning === undefined ? [] : [`${name}: ${meaning}`];
    })
    .join("; ");
}
