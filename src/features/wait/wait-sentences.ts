import { alignedTable } from "../../core/base/terminal/table.ts";
import { bareUrl } from "../../core/base/text/url.ts";
import { listSome } from "../../core/config/warnings.ts";
import { type Answer, countHaving, type Minimum, required } from "./gate.ts";
import type { Wanted } from "./release-check.ts";

const maxRows = 50;

/** Says nothing that changes in every round, because `wait` logs the sentence whenever it changes. */
export function progressSentence(answers: readonly Answer[], wanted: Wanted): string {
  const counted = countText(answers, wanted);
  const lacking = answers.filter(({ has }) => !has);
  if (lacking.length === 0) return `${counted}.`;
  const names = lacking.map(({ url }) => bareUrl(url));
  return `${counted}; waiting for ${listSome(names)}.`;
}

/** Says how many mirrors have the release, and why the others do not count. Safe to print. */
export function resultText(place: string, answers: readonly Answer[], min: Minimum, wanted: Wanted): string {
  const needed = required(min, answers.length);
  const missing = countHaving(answers) < needed ? `; --min requires ${needed}` : "";
  const lacking = answers.filter(({ has }) => !has);
  const rows = lacking.slice(0, maxRows).map(({ url, sentence = "" }) => [`  ${url}`, sentence]);
  const more = lacking.length > maxRows ? [`  and ${lacking.length - maxRows} more`] : [];
  return alignedTable([`${place}: ${countText(answers, wanted)}${missing}.`, ...rows, ...more]);
}

function countText(answers: readonly Answer[], { ref, path, revision = "" }: Wanted): string {
  const have = answers.length === 1 ? "1 mirror has" : `${answers.length} mirrors have`;
  return `${countHaving(answers)} of ${have} ${ref ?? path ?? `revision ${revision}`}`;
}
