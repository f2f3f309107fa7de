import { styleText } from "node:util";
import { withoutCommands } from "../base/text/quote.ts";
import type { CaseResult } from "./check-answer.ts";
import type { Verification } from "./verify.ts";

/** How many failures are listed. */
const maxFailures = 40;

/** Returns the verification as JSON: how much was checked, and every case. */
export function verificationJson(url: string, { checked, cases }: Verification): string {
  return withoutCommands(JSON.stringify({ url, checked, cases }, null, 2));
}

/** Returns the verification as text: failures, notes, how much was checked, and a line of totals. */
export function verificationText({ cases, checked }: Verification, color: boolean): string {
  const failures = cases.filter(({ ok }) => !ok);
  const more = failures.length - maxFailures;
  const lines = [
    ...failures.slice(0, maxFailures).flatMap((one) => failure(one, color)),
    ...(more > 0 ? [`${number(more)} more failed; --json lists all.`] : []),
    ...notes(cases),
    `Checked ${share(checked.documents)} documents, ${share(checked.pages)} pages and ${share(checked.files)} of their files.`,
    `${number(cases.length)} cases: ${number(cases.length - failures.length)} passed, ${number(failures.length)} failed.`,
  ];
  return withoutCommands(lines.join("\n"));
}

function failure({ method, path, rule, expected, actual }: CaseResult, color: boolean): string[] {
  const word = color ? styleText("red", "FAILED") : "FAILED";
  return [
    `${word}  ${method} ${path}: ${rule}`,
    `        expected  ${expected}`,
    `        actual    ${actual}`,
  ];
}

/** Returns a line for each limit of the host that cases met. */
function notes(cases: readonly CaseResult[]): string[] {
  const all = cases.flatMap(({ note }) => note ?? []);
  return [...new Set(all)].map(
    (note) => `NOTE    ${note} Cases: ${number(all.filter((other) => other === note).length)}.`,
  );
}

function share({ checked, of }: { readonly checked: number; readonly of: number }): string {
  return `${number(checked)} of ${number(of)}`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}
