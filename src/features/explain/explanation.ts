import { familyNames } from "../../core/base/http/address.ts";
import { httpCodes } from "../../core/base/http/codes.ts";
import type { Step } from "../../core/base/http/trace.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { printable } from "../../core/base/text/quote.ts";
import type { Observation } from "../../core/probe/observation.ts";
import { hostAndPort } from "../../core/base/text/url.ts";

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

/** Returns a line for each step, then one for the result. Safe to print. */
export function explanationText({ url, observation, steps }: ProbedUrl): string {
  const { code, http_status, latency_ms, revision, branch, content_at, content_code } = observation;
  const { fetched, phase, cause, cause_text } = observation;
  const status = http_status === undefined ? "" : ` (HTTP ${http_status})`;
  const latency = latency_ms === undefined ? "" : ` ${latency_ms} ms`;
  const told = content_code ?? code;
  const line = `${told}${latency} ${url} ${sentenceOf(told, observation)}${status}`;
  if (steps === undefined) return line;
  const facts = [
    ["revision", revision],
    ["branch", branch && printable(branch)],
    ["content", content_at && `of ${content_at}`],
    ["fetched", fetched],
    ["phase", phase],
    ["cause", cause],
    ["text", cause_text],
  ] as const;
  const known = facts.flatMap(([label, text]) =>
    text === undefined ? [] : [`  ${label.padEnd(10)}${text}`],
  );
  return [...steps.flatMap(stepLines), "", line, ...known].join("\n");
}

const maxText = 600;

function stepLines(step: TimedStep): string[] {
  const [first = "", ...details] = textsOf(step).map((text) => printable(text, maxText));
  const label = step.step === "not_connected" ? "no" : step.step;
  const start = `${String(step.at_ms).padStart(6)} ms  ${label.padEnd(10)}`;
  return [start + first, ...details.map((detail) => " ".repeat(start.length) + detail)];
}

/** Returns a step's first line and any further lines. */
function textsOf(step: Step): string[] {
  switch (step.step) {
    case "attempt":
      return [`${step.attempt} of ${step.max}`];
    case "resolve": {
      const source = step.source === "dns" ? "name server" : "hosts file";
      return [`${step.hostname} has ${step.addresses.join(", ") || "no address"} (${source})`];
    }
    case "connect":
    case "connected":
    case "proxy":
      return [hostAndPort(step.address, step.port)];
    case "not_connected":
      return [`${step.address}: ${httpCodes[step.code]}${inBrackets(step.cause)}`];
    case "tls":
      return [`${step.protocol}, ${step.cipher}`, ...certificateLines(step)];
    case "request":
      return [step.line, ...headerLines(step)];
    case "response":
      return [`status ${step.status}`, ...headerLines(step)];
    case "body":
      return [`${step.bytes} bytes read, ${step.complete ? "complete" : "incomplete"}`];
    case "redirect":
      return [step.url];
    case "failure": {
      const sentence = `${step.code}: ${sentenceOf(step.code, step)}${inBrackets(step.cause)}`;
      return step.cause_text === undefined ? [sentence] : [sentence, step.cause_text];
    }
    case "pause":
      return [`${step.ms} ms`];
    case "fetch":
      return [step.revision];
    case "fetched":
      return [step.result ?? "unknown: the response proves nothing"];
    case "family": {
      const name = familyNames[step.family];
      const found = `${name}: ${step.code === "ok" ? "connected" : httpCodes[step.code]}`;
      if (step.proven) return [found];
      return [found, `No other connection over ${name} succeeded, so this machine may not have ${name}.`];
    }
  }
}

function inBrackets(cause: string | undefined): string {
  return cause === undefined ? "" : ` (${cause})`;
}

function headerLines({ headers, header_count }: Extract<Step, { headers: unknown }>): string[] {
  const more = header_count - headers.length;
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return more > 0 ? [...lines, `and ${formatCount(more, "more header")}`] : lines;
}

function certificateLines({ accepted, cause = "", certificate }: Extract<Step, { step: "tls" }>): string[] {
  const onOneLine = (name: string): string => name.split("\n").join(", ");
  const verdict = accepted ? "accepted" : `not accepted: ${sentenceOf("tls", { cause })} (${cause})`;
  if (certificate === undefined) return [verdict];
  const { subject, issuer, names, valid_from, expires } = certificate;
  return [
    `subject  ${onOneLine(subject)}`,
    `issuer   ${onOneLine(issuer)}`,
    `names    ${names}`,
    `valid    from ${valid_from} to ${expires}`,
    verdict,
  ];
}
