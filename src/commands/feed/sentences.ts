import type { NotFound, Reason, Unknown } from "../../client/index.ts";
import { ProbeFailure } from "../../probe/failure.ts";
import { visibleJson, withoutCommands } from "../../quote.ts";
import { codeSentences } from "../../sentences.ts";

/** What each reason means, for people. */
const reasonSentences: Readonly<Record<Reason, string>> = {
  no_answer: "The feed gave no answer.",
  timeout: "The feed did not answer in time.",
  redirect: "The feed redirects in a way that is not followed.",
  too_large: "The feed's answer is larger than is read.",
  http_status: "The feed answered with an HTTP error that is none of the contract.",
  not_contract: "What answered is no feed: it does not keep the contract.",
  expired: "The feed has expired: its last run is too long ago to prove anything.",
  too_old: "The feed is older than --max-age.",
  prober_offline: "The feed's prober has never reached anything, so its statuses prove nothing.",
  no_report: "The feed has not the report that tells freshness and age; it has the contract alone.",
};

/** Why nothing is known, as a sentence or two. */
export function unknownSentence({ reason, cause }: Unknown): string {
  const detail = cause instanceof ProbeFailure ? ` ${codeSentences[cause.code]}` : "";
  return reasonSentences[reason] + detail;
}

/** What the feed does not know, as a sentence. */
export function notFoundSentence(target: string, { level }: NotFound): string {
  const missing = level === "unknown" ? "system, project or target" : level;
  return `The feed knows no such ${missing}: ${target}.`;
}

/** That the answer is one of before, as a sentence. */
export function insteadOfSentence(reason: Reason, { generated_at, expires_at }: Held): string {
  return `${reasonSentences[reason]} This is its answer of ${generated_at ?? "before"}, which holds until ${expires_at ?? "now"}.`;
}

interface Held {
  readonly generated_at?: string;
  readonly expires_at?: string;
}

/** JSON that is safe on a terminal and in the log of a runner. */
export function safeJson(document: object): string {
  return withoutCommands(visibleJson(JSON.stringify(document, null, 2)));
}
