import { styleText } from "node:util";
import { withoutCommands } from "../quote.ts";
import type { Group, JudgedCase } from "../site/verify/judgement.ts";
import type { Outcome } from "../site/verify/severity.ts";
import type { Verification } from "../site/verify/verify.ts";

/** How many different faults are listed, and how many paths of each. */
const mostFaults = 40;
const mostPaths = 4;

/** The verification as JSON: totals, what of the feed was looked at, and every case. */
export function verificationJson(url: string, { profile, sampled, cases }: Verification): string {
  const listed = cases.map(({ id, title, method, path, outcome, expected, came }) => ({
    id,
    title,
    method,
    path,
    outcome,
    expected,
    came,
  }));
  const document = { url, profile, totals: totalsOf(cases), sampled: sampled ?? null, cases: listed };
  return withoutCommands(JSON.stringify(document, null, 2));
}

/** The verification as text: failures first, then warnings, what held by group, and a line of totals. */
export function verificationText({ cases, sampled }: Verification, color: boolean): string {
  const { passed, failed, warned } = totalsOf(cases);
  const left = sampled && sampled.targets.checked < sampled.targets.of;
  const lines = [
    ...faults(cases, "failed", color),
    ...faults(cases, "warned", color),
    ...(left
      ? [`Checked ${share(sampled.targets)} targets, spread over ${share(sampled.systems)} systems.`]
      : []),
    ...(passed > 0 ? [`Held: ${held(cases)}.`] : []),
    `${number(cases.length)} cases: ${number(passed)} passed, ${number(failed)} failed, ${number(warned)} warned.`,
  ];
  return withoutCommands(lines.join("\n"));
}

function totalsOf(cases: readonly JudgedCase[]): Record<Outcome, number> {
  const count = (wanted: Outcome): number => cases.filter(({ outcome }) => outcome === wanted).length;
  return { passed: count("passed"), failed: count("failed"), warned: count("warned") };
}

/** The cases of an outcome; those with the same fault stand together. */
function faults(cases: readonly JudgedCase[], wanted: "failed" | "warned", color: boolean): string[] {
  const alike = new Map<string, JudgedCase[]>();
  for (const one of cases.filter(({ outcome }) => outcome === wanted)) {
    const key = JSON.stringify([one.expected, one.came]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  const groups = [...alike.values()];
  const rest = groups.slice(mostFaults).flat().length;
  return [
    ...groups.slice(0, mostFaults).flatMap((group) => fault(group, wanted, color)),
    ...(rest > 0 ? [`${number(rest)} more ${wanted}; --json lists all.`] : []),
  ];
}

function fault(group: readonly JudgedCase[], outcome: "failed" | "warned", color: boolean): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const word = outcome.toUpperCase();
  const more = group.length - mostPaths;
  return [
    ...group.slice(0, mostPaths).map(({ title }) => `${paint(outcome, word, color)}  ${title}`),
    ...(more > 0 ? [`        and ${number(more)} more; --json lists all`] : []),
    `        expected  ${first.expected}`,
    `        came      ${first.came}`,
  ];
}

function held(cases: readonly JudgedCase[]): string {
  const counts = new Map<Group, number>();
  for (const { group, outcome } of cases)
    if (outcome === "passed") counts.set(group, (counts.get(group) ?? 0) + 1);
  return [...counts].map(([group, count]) => `${group} ${number(count)}`).join(", ");
}

function share({ checked, of }: { readonly checked: number; readonly of: number }): string {
  return `${number(checked)} of ${number(of)}`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function paint(outcome: "failed" | "warned", text: string, color: boolean): string {
  return color ? styleText(outcome === "failed" ? "red" : "yellow", text) : text;
}
