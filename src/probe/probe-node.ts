import type { NodeSettings } from "../config/nodes.ts";
import { asError } from "../base/errors.ts";
import { pause as wait } from "../base/files/lock.ts";
import { causeOf, causeTextOf, ProbeFailure } from "../base/http/failure.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { Classification, ProbeContext, RequestUrl } from "../kinds/kind.ts";
import { kinds } from "../kinds/kinds.ts";
import type { Observation } from "./observation.ts";
import { requestFollowingRedirects } from "./redirect.ts";
import type { Transport } from "../base/http/transport.ts";
import type { HttpCode } from "../base/http/codes.ts";

/** The URL of a mirror, its kind and the options of the kind, the deadline and the number of attempts. */
export interface ProbeRequest extends Pick<NodeSettings, "kind" | "options" | "timeoutMs" | "attempts"> {
  readonly url: string;
  readonly maxRedirects: number;
  readonly context: Omit<ProbeContext, "tryRequest" | "verifySignature">;
  /** Left out if no keyring is configured. */
  readonly verifySignature?: ProbeContext["verifySignature"] | undefined;
}

/** The result of the last attempt, the number of attempts, and when it ended. */
export type ProbeResult = Omit<Observation, "id" | "refs"> & Pick<Classification, "refs">;

/** The clock and randomness, which tests replace. `now` is in milliseconds since 1970, `random` in [0, 1). */
export interface ClockAndRandom {
  readonly now: () => number;
  readonly random: () => number;
}

/** Codes that another attempt would only repeat, or that ask the prober to stop. */
const finalCodes: ReadonlySet<string> = new Set<HttpCode>([
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
 * Probes a mirror until an attempt decides, at most `attempts` times. `signal` is the one deadline of all attempts. Every
 * failure is a value. Rejects only with the reason of an interrupt, or with an internal error.
 */
export async function probeNode(
  signal: AbortSignal,
  request: ProbeRequest,
  transport: Transport,
  clock: ClockAndRandom,
): Promise<ProbeResult> {
  const endsAt = clock.now() + request.timeoutMs;
  for (let attempts = 1; ; attempts += 1) {
    transport.onStep?.({ step: "attempt", attempt: attempts, max: request.attempts });
    const result = await attempt(request, attempts, transport, clock, signal);
    const pause = pauseMs(attempts, clock.random());
    const isFinal = finalCodes.has(result.code) || isClientError(result.http_status);
    if (isFinal || attempts === request.attempts || clock.now() + pause >= endsAt) return result;
    transport.onStep?.({ step: "pause", ms: Math.round(pause) });
    const hasWaited = await unlessFailed(wait(pause, signal).then(() => true));
    if (hasWaited === undefined) return result;
  }
}

/** Returns the pause after the n-th attempt. It doubles each time, and is randomly shortened by up to a half. */
function pauseMs(attempt: number, random: number): number {
  return firstPauseMs * 2 ** (attempt - 1) * (0.5 + random / 2);
}

async function attempt(
  { kind, url, options, maxRedirects, context, verifySignature }: ProbeRequest,
  attempts: number,
  transport: Transport,
  { now }: ClockAndRandom,
  signal: AbortSignal,
): Promise<ProbeResult> {
  let last: { readonly answer: HttpResponse; readonly endedAt: number } | undefined;
  const ask: RequestUrl = (to, classify, differently) =>
    requestFollowingRedirects(transport, to, classify, maxRedirects, signal, undefined, differently);
  const request: RequestUrl = async (to, classify, differently) => {
    const classified = await ask(to, classify, differently);
    last = { answer: classified.answer, endedAt: now() };
    return classified;
  };
  const whole: ProbeContext = {
    ...context,
    tryRequest: (to, classify, differently) => unlessFailed(ask(to, classify, differently)),
    verifySignature: async (text, keyring) =>
      await Promise.race([verifySignature?.(text, keyring), rejectionOf(signal)]),
  };
  const startedAt = now();
  try {
    const classification = await kinds[kind].probe(url, options, request, whole);
    if (last === undefined) throw new Error(`The kind ${kind} made no request.`);
    const { code, ...content } = classification;
    const { answer, endedAt } = last;
    const result: ProbeResult = {
      code,
      http_status: answer.status,
      latency_ms: Math.max(0, Math.round(endedAt - startedAt)),
      attempts,
      checked_at: new Date(endedAt).toISOString(),
      ...content,
    };
    if (answer.tlsExpiresAt !== undefined) result.tls_expires_at = answer.tlsExpiresAt;
    return result;
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw asError(error);
    const result: ProbeResult = { code: error.code, attempts, checked_at: new Date(now()).toISOString() };
    const [cause, text] = [causeOf(error), causeTextOf(error)];
    if (error.phase !== undefined) result.phase = error.phase;
    if (cause !== undefined) result.cause = cause;
    if (text !== undefined) result.cause_text = text;
    const { code, phase } = error;
    transport.onStep?.({ step: "failure", code, phase, cause, cause_text: text });
    return result;
  }
}

/** Returns a promise that rejects with the reason of a signal. */
function rejectionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(asError(signal.reason));
    signal.addEventListener(
      "abort",
      () => {
        reject(asError(signal.reason));
      },
      { once: true },
    );
  });
}

/** Resolves with undefined if a promise rejects with a ProbeFailure. */
export async function unlessFailed<Result>(promise: Promise<Result>): Promise<Result | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ProbeFailure) return undefined;
    throw error;
  }
}

function isClientError(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== 408;
}
