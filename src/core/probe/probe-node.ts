import type { NodeSettings } from "../config/nodes.ts";
import { asError } from "../base/errors.ts";
import { pause as wait } from "../base/files/lock.ts";
import type { HttpCode } from "../base/http/codes.ts";
import { causeOf, causeTextOf, ProbeFailure, unlessAborted } from "../base/http/failure.ts";
import type { HttpResponse } from "../base/http/response.ts";
import type { Transport } from "../base/http/transport.ts";
import type { CommandContext } from "../base/terminal/context.ts";
import type { Classification, ProbeContext, RequestUrl } from "../kinds/kind.ts";
import { kinds } from "../kinds/kinds.ts";
import type { Observation } from "./observation.ts";
import { followRedirects } from "./redirect.ts";

export interface ProbeRequest extends Omit<NodeSettings, "failureThreshold" | "successThreshold"> {
  readonly url: string;
  readonly maxRedirects: number;
  readonly context: Omit<ProbeContext, "tryRequest">;
}

export type ProbeResult = Omit<Observation, "id" | "refs"> & Pick<Classification, "refs" | "uploadPack">;

export type ClockAndRandom = Pick<CommandContext, "now" | "random">;

/** After these, an attempt would get the same code, or the mirror asks the prober to stop. */
const finalCodes: ReadonlySet<string> = new Set<HttpCode>([
  "ok",
  "auth",
  "redirect",
  "rate_limited",
  "challenge",
  "captive_portal",
  "blocked_address",
  "no_route",
  "too_large",
]);

const firstPauseMs = 250;

/** Repeats attempts until one is final or `signal`, their shared deadline, fires. Rejects only if interrupted. */
export async function probeNode(
  signal: AbortSignal,
  request: ProbeRequest,
  transport: Transport,
  clock: ClockAndRandom,
): Promise<ProbeResult> {
  const endsAt = performance.now() + request.timeoutMs;
  for (let attempts = 1; ; attempts += 1) {
    transport.onStep?.({ step: "attempt", attempt: attempts, max: request.attempts });
    const result = await attempt(signal, request, attempts, transport, clock);
    // The pause doubles each time, and is randomly shortened by up to half.
    const pause = firstPauseMs * 2 ** (attempts - 1) * (0.5 + clock.random() / 2);
    const { code, http_status: status = 0 } = result;
    const isFinal = finalCodes.has(code) || (status >= 400 && status < 500 && status !== 408);
    if (isFinal || attempts === request.attempts || performance.now() + pause >= endsAt) return result;
    transport.onStep?.({ step: "pause", ms: Math.round(pause) });
    const hasWaited = await unlessFailed(wait(pause, signal).then(() => true));
    if (hasWaited === undefined) return result;
  }
}

async function attempt(
  signal: AbortSignal,
  { kind, url, options, maxRedirects, context, probe = kinds[kind].probe }: ProbeRequest,
  attempts: number,
  transport: Transport,
  { now }: ClockAndRandom,
): Promise<ProbeResult> {
  let last: ReturnType<typeof evidenceOf> | undefined;
  const startedAt = performance.now();
  const ask: RequestUrl = (to, classify, requestOptions) =>
    followRedirects(transport, to, classify, signal, { ...requestOptions, maxRedirects });
  const request: RequestUrl = async (...asked) => {
    const classified = await ask(...asked);
    last = evidenceOf(classified.answer, attempts, performance.now() - startedAt, now());
    return classified;
  };
  try {
    const { code, ...content } = await probe(url, options, request, {
      ...context,
      tryRequest: (...asked) => unlessFailed(ask(...asked)),
      verifySignature: (...signed) => unlessAborted(context.verifySignature(...signed), signal),
    });
    if (last === undefined) throw new Error(`The kind ${kind} made no request.`);
    return { code, ...last, ...content };
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw asError(error);
    const { code, phase } = error;
    const failure = { code, phase, cause: causeOf(error), cause_text: causeTextOf(error) };
    transport.onStep?.({ step: "failure", ...failure });
    return { ...failure, attempts, checked_at: new Date(now()).toISOString() };
  }
}

export function evidenceOf(answer: HttpResponse, attempts: number, latencyMs: number, at: number) {
  return {
    http_status: answer.status,
    latency_ms: Math.round(latencyMs),
    attempts,
    checked_at: new Date(at).toISOString(),
    tls_expires_at: answer.tlsExpiresAt,
  };
}

export async function unlessFailed<Result>(promise: Promise<Result>): Promise<Result | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ProbeFailure) return undefined;
    throw error;
  }
}
