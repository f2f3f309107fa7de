import type { Step } from "../../core/base/http/trace.ts";
import { familyNames } from "../../core/base/http/address.ts";
import { printable } from "../../core/base/text/quote.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";

export type TimedStep = Step & { readonly at_ms: number };

export interface ProbedUrl {
  readonly url: string;
  readonly kind: string;
  readonly observation: Observation;
  readonly steps?: readonly TimedStep[] | undefined;
}

export function explanationJson({ url, kind, observation, steps }: ProbedUrl): string {
  const { code, ...evidence } = observation;
  const sentence = sentenceOf(evidence.content_code ?? code, observation);
  const document = { url, kind, code, sentence, ...evidence, id: undefined, index: undefined, steps };
  return JSON.stringify(document, null, 2);
}

const facts = [
  "revision",
  "branch",
  "moved_to",
  "content_at",
  "fetched",
  "phase",
  "cause",
  "cause_text",
] as const;

/** Returns a line for each step, then one for the result. Safe to print. */
export function explanationText({ url, observation, steps }: ProbedUrl): string {
  const { code, http_status, latency_ms, content_code } = observation;
  const status = http_status === undefined ? "" : ` (HTTP ${http_status})`;
  const latency = latency_ms === undefined ? "" : ` ${latency_ms} ms`;
  const told = content_code ?? code;
  const line = `${told}${latency} ${url} ${sentenceOf(told, observation)}${status}`;
  if (steps === undefined) return line;
  const known = facts.flatMap((name) => {
    const text = observation[name];
    return text === undefined ? [] : [`  ${name.padEnd(12)}${printable(text)}`];
  });
  return [...steps.flatMap(stepLines), "", line, ...known].join("\n");
}

const maxText = 600;
const listed: ReadonlySet<string> = new Set(["step", "at_ms", "headers", "certificate"]);

/** Returns a line with a step's facts, as `--json` names them, and further ones. */
function stepLines(timed: TimedStep): string[] {
  const own = Object.entries({ ...timed }).flatMap(([name, value]: [string, unknown]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return listed.has(name) || value === undefined ? [] : [`${name} ${text}`];
  });
  const pairs = [
    ...("headers" in timed ? timed.headers : []),
    ...("certificate" in timed ? Object.entries<string>({ ...timed.certificate }) : []),
  ];
  const details = pairs.map(([name, text]) => `${name}: ${text.replaceAll("\n", ", ")}`);
  if (timed.step === "failure") details.push(sentenceOf(timed.code, timed));
  if (timed.step === "family" && !timed.proven) {
    const name = familyNames[timed.family];
    details.push(`No other connection over ${name} succeeded, so this machine may not have ${name}.`);
  }
  const start = `${String(timed.at_ms).padStart(6)} ms  ${timed.step.padEnd(15)}`;
  return [own.join(", "), ...details].map(
    (text, index) => (index === 0 ? start : " ".repeat(start.length)) + printable(text, maxText),
  );
}
