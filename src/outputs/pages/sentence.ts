import { expiredCertificate, isKnownCode, type Reason, reasonKey, sentenceOf } from "../../kinds/kinds.ts";
import type { Words } from "./words/words.ts";

/** Returns what a code means in the language of the page, with what is known beside it, as `sentenceOf` does in English. */
export function sentenceIn({ sentence }: Words, code: string, reason: Reason = {}): string {
  const expired = expiredCertificate(code, reason);
  if (expired !== undefined) return sentence.certificateExpired(expired);
  if (!isKnownCode(code)) return sentence.unknownCode;
  return sentence.codes[reasonKey(code, reason)] ?? sentenceOf(code, reason);
}

/** Returns the title of a use of a kind or a list in the language of the page. */
export function useTitle({ sentence }: Words, title: string): string {
  return sentence.uses[title] ?? title;
}
