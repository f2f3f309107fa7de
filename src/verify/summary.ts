import { styleText } from "node:util";
import { withoutCommands } from "../text/quote.ts";
import type { Crawl } from "./crawl.ts";
import type { Group, CaseResult } from "./case-results.ts";
import type { Coverage } from "./plan.ts";
import type { Outcome } from "./severity.ts";
import type { Verification } from "./verify.ts";

/** How many different problems are listed, and how many paths of each. */
const maxProblems = 40;
const maxPaths = 4;

/** Returns the verification as JSON: totals, the checked part of the feed and of its pages, and every case. */
export function verificationJson(url: string, { profile, sampled, crawl, cases }: Verification): string {
  const listed = cases.map(({ id, title, method, path, outcome, expected, actual }) => ({
    id,
    title,
    method,
    path,
    outcome,
    expected,
    actual,
  }));
  const document = {
    url,
    profile,
    totals: totalsOf(cases),
    sampled: sampled ?? null,
    crawl: crawl ?? null,
    cases: listed,
  };
  return withoutCommands(JSON.stringify(document, null, 2));
}

/** Returns the verification as text: failures, warnings, passed cases by group, and a line of totals. */
export function verificationText({ cases, sampled, crawl }: Verification, color: boolean): string {
  const { passed, failed, warned } = totalsOf(cases);
  const left = sampled && sampled.targets.checked < sampled.targets.of;
  const lines = [
    ...problems(cases, "failed", color),
    ...problems(cases, "warned", color),
    ...(left
      ? [`Checked ${share(sampled.targets)} targets, spread over ${share(sampled.systems)} systems.`]
      : []),
    ...(crawl === undefined ? [] : [crawlText(crawl)]),
    ...(passed > 0 ? [`Held: ${held(cases)}.`] : []),
    `${number(cases.length)} cases: ${number(passed)} passed, ${number(failed)} failed, ${number(warned)} warned.`,
  ];
  return withoutCommands(lines.join("\n"));
}

function crawlText({ pages, files }: Crawl): string {
  if (pages.checked === 0) return "There is no status page, so no page was checked.";
  return `Checked ${share(pages)} linked pages and ${share(files)} of their files.`;
}

function totalsOf(cases: readonly CaseResult[]): Record<Outcome, number> {
  const count = (wanted: Outcome): number => cases.filter(({ outcome }) => outcome === wanted).length;
  return { passed: count("passed"), failed: count("failed"), warned: count("warned") };
}

/** Returns the cases of an outcome, with those of the same problem together. */
function problems(cases: readonly CaseResult[], wanted: "failed" | "warned", color: boolean): string[] {
  const alike = new Map<string, CaseResult[]>();
  for (const one of cases.filter(({ outcome }) => outcome === wanted)) {
    const key = JSON.stringify([one.expected, one.actual]);
    alike.set(key, [...(alike.get(key) ?? []), one]);
  }
  const groups = [...alike.values()];
  const rest = groups.slice(maxProblems).flat().length;
  return [
    ...groups.slice(0, maxProblems).flatMap((group) => problem(group, wanted, color)),
    ...(rest > 0 ? [`${number(rest)} more ${wanted}; --json lists all.`] : []),
  ];
}

function problem(group: readonly CaseResult[], outcome: "failed" | "warned", color: boolean): string[] {
  const [first] = group;
  if (first === undefined) return [];
  const word = outcome.toUpperCase();
  const more = group.length - maxPaths;
  return [
    ...group.slice(0, maxPaths).map(({ title }) => `${paint(outcome, word, color)}  ${title}`),
    ...(more > 0 ? [`        and ${number(more)} more; --json lists all`] : []),
    `        expected  ${first.expected}`,
    `        actual    ${first.actual}`,
  ];
}

function held(cases: readonly CaseResult[]): string {
  const counts = new Map<Group, number>();
  for (const { group, outcome } of cases)
    if (outcome === "passed") counts.set(group, (counts.get(group) ?? 0) + 1);
  return [...counts].map(([group, count]) => `${group} ${number(count)}`).join(", ");
}

function share({ checked, of }: Coverage): string {
  return `${number(checked)} of ${number(of)}`;
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function paint(outcome: "failed" | "warned", text: string, color: boolean): string {
  return color ? styleText(outcome === "failed" ? "red" : "yellow", text) : text;
}
