import { setTimeout as sleep } from "node:timers/promises";
import { asError } from "../errors.ts";
import { causeOf, causeTextOf, ProbeFailure } from "../http/failure.ts";
import type { HttpResponse } from "../http/response.ts";
import type { RequestUrl } from "../kinds/kind.ts";
import { type KindName, kinds } from "../kinds/kinds.ts";
import { requestFollowingRedirects } from "./redirect.ts";
import type { Transport } from "../http/transport.ts";
import type { HttpCode } from "../http/codes.ts";

/** What is probed: a URL, as which kind of mirror, with which of the kind's options, how long and how often. */
export interface ProbeRequest {
  readonly kind: KindName;
  readonly url: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly maxRedirects: number;
}

/** What the last attempt found, of how many, and when. */
export interface ProbeResult {
  code: string;
  http_status?: number;
  latency_ms?: number;
  phase?: string;
  cause?: string;
  cause_text?: string;
  attempts: number;
  checked_at: string;
  revision?: string;
  branch?: string;
  partial?: true;
  tls_expires_at?: string;
}

/** The clock and the dice, which tests replace. `now` is in milliseconds since 1970, `random` in [0, 1). */
export interface ClockAndRandom {
  readonly now: () => number;
  readonly random: () => number;
}

/** Failures that another attempt would only repeat, or that ask us to stop. */
const final: ReadonlySet<string> = new Set<HttpCode>([
  "ok",
  "auth",
  "redirect",
  "rate_limited",
  "captive_portal",
  "blocked_address",
  "no_route",
  "too_large",
]);

const firstPauseMs = 250;

/**
 * Asks until an attempt decides, at most `attempts` times, within one deadline for all of them, which `signal` stands
 * for. Every failure is a value; rejects only with the signal's reason if that is no timeout, or with an internal error.
 */
export async function probeNode(
  signal: AbortSignal,
  question: ProbeRequest,
  transport: Transport,
  chance: ClockAndRandom,
): Promise<ProbeResult> {
  const endsAt = chance.now() + question.timeoutMs;
  for (let attempts = 1; ; attempts += 1) {
    transport.onStep?.({ step: "attempt", attempt: attempts, max: question.attempts });
    const finding = await attempt(question, attempts, transport, chance, signal);
    const pause = pauseMs(attempts, chance.random());
    const hopeless = final.has(finding.code) || isClientError(finding.http_status);
    if (hopeless || attempts === question.attempts || chance.now() + pause >= endsAt) return finding;
    transport.onStep?.({ step: "pause", ms: Math.round(pause) });
    if (!(await waited(pause, signal))) return finding;
  }
}

/** How long to wait after the n-th attempt: twice as long each time, between a half and the whole of it by chance. */
function pauseMs(attempt: number, random: number): number {
  return firstPauseMs * 2 ** (attempt - 1) * (0.5 + random / 2);
}

async function attempt(
  { kind, url, options, maxRedirects }: ProbeRequest,
  attempts: number,
  transport: Transport,
  { now }: ClockAndRandom,
  signal: AbortSignal,
): Promise<ProbeResult> {
  let last: HttpResponse | undefined;
  const request: RequestUrl = async (to, classify) => {
    const classified = await requestFollowingRedirects(transport, to, classify, maxRedirects, signal);
    last = classified.answer;
    return classified;
  };
  const startedAt = now();
  try {
    const { code, ...content } = await kinds[kind].probe(url, options, request);
    if (last === undefined) throw new Error(`The kind ${kind} made no request.`);
    const endedAt = now();
    const finding: ProbeResult = {
      code,
      http_status: last.status,
      latency_ms: Math.max(0, Math.round(endedAt - startedAt)),
      attempts,
      checked_at: new Date(endedAt).toISOString(),
      ...content,
    };
    if (last.tlsExpiresAt !== undefined) finding.tls_expires_at = last.tlsExpiresAt;
    return finding;
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw asError(error);
    const finding: ProbeResult = { code: error.code, attempts, checked_at: new Date(now()).toISOString() };
    const [cause, text] = [causeOf(error), causeTextOf(error)];
    if (error.phase !== undefined) finding.phase = error.phase;
    if (cause !== undefined) finding.cause = cause;
    if (text !== undefined) finding.cause_text = text;
    const { code, phase } = error;
    transport.onStep?.({ step: "failure", code, phase, cause, cause_text: text });
    return finding;
  }
}

function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408;
}

/** Waits; returns false if the deadline is over before. */
async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, undefined, { signal });
    return true;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (signal.reason instanceof ProbeFailure) return false;
    throw asError(signal.reason);
  }
}
