import type { Step } from "../../core/base/http/trace.ts";
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

/** Returns a line for each step, then the result. Safe to print. */
export function explanationText({ url, observation, steps }: ProbedUrl): string {
  const { code, http_status, latency_ms, content_code } = observation;
  const status = http_status === undefined ? "" : ` (HTTP ${http_status})`;
  const latency = latency_ms === undefined ? "" : ` ${latency_ms} ms`;
  const told = content_code ?? code;
  const line = `${told}${latency} ${url} ${sentenceOf(told, observation)}${status}`;
  if (steps === undefined) return line;
  const result = { ...observation, step: "result", at_ms: steps.at(-1)?.at_ms ?? 0, id: undefined };
  return [...[...steps, result].flatMap(stepLines), "", line].join("\n");
}

const maxText = 600;

interface Shown extends Pick<TimedStep, "at_ms"> {
  readonly step: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly certificate?: object | undefined;
}

/** Returns a line with a step's facts, as `--json` names them, and one for each header and part of a certificate. */
function stepLines({ step, at_ms, headers = [], certificate = {}, ...own }: Shown): string[] {
  const facts = Object.entries<unknown>(own).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return value === undefined ? [] : [`${name} ${text}`];
  });
  const details = [...headers, ...Object.entries<string>({ ...certificate })].map(
    ([name, text]) => `${name}: ${text.replaceAll("\n", ", ")}`,
  );
  const start = `${String(at_ms).padStart(6)} ms  ${step.padEnd(15)}`;
  return [facts.join(", "), ...details].map(
    (text, index) => (index === 0 ? start : " ".repeat(start.length)) + printable(text, maxText),
  );
}
