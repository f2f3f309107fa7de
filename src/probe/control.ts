import { asError } from "../errors.ts";
import type { Control } from "../config/schema.ts";
import { ProbeFailure } from "../http/failure.ts";
import { classifyStatus } from "../kinds/classification.ts";
import type { Classify } from "../kinds/kind.ts";
import type { ControlObservation } from "./observation.ts";
import type { ClockAndRandom } from "./probe-node.ts";
import { requestFollowingRedirects, type MayFollow } from "./redirect.ts";
import type { Transport } from "../http/transport.ts";
import type { HttpResponse } from "../http/response.ts";

/** Returns the URL of a control. */
export function controlUrl(control: Control): string {
  return typeof control === "string" ? control : control.url;
}

/**
 * Asks a control once and says whether its answer proves that this vantage is online. A captive portal answers in the
 * place of any host over plain HTTP, and redirects to its login page. So what counts is a valid certificate, or the
 * text if one is configured; redirects to other hosts are not followed. Every failure is a value; rejects
 * only with the signal's reason if that is no timeout, or with an internal error.
 */
export async function probeControl(
  signal: AbortSignal,
  control: Control,
  maxRedirects: number,
  transport: Transport,
  { now }: ClockAndRandom,
): Promise<ControlObservation> {
  const url = controlUrl(control);
  const text = typeof control === "string" ? undefined : control.text;
  const asked = text === undefined ? { url } : { url, text };
  const startedAt = now();
  try {
    const {
      answer,
      classification,
      url: end,
    } = await requestFollowingRedirects(
      transport,
      new URL(url),
      classifyControl(text),
      maxRedirects,
      signal,
      onOneHost,
    );
    const endedAt = now();
    const isFromHost = end.protocol === "https:" && classification.code !== "captive_portal";
    const byText = text !== undefined && holds(answer, text) ? "text" : "none";
    const byTls = isFromHost ? "tls" : "none";
    const found: ControlObservation = {
      ...asked,
      proof: text === undefined ? byTls : byText,
      code: classification.code,
      http_status: answer.status,
      latency_ms: Math.max(0, Math.round(endedAt - startedAt)),
      attempts: 1,
      checked_at: new Date(endedAt).toISOString(),
    };
    if (answer.tlsExpiresAt !== undefined) found.tls_expires_at = answer.tlsExpiresAt;
    return found;
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw asError(error);
    return {
      ...asked,
      proof: "none",
      code: error.code,
      attempts: 1,
      checked_at: new Date(now()).toISOString(),
    };
  }
}

/** Classifies by the status, and if there is a text, waits for it or for the end of the answer. */
function classifyControl(text: string | undefined): Classify {
  return (answer) =>
    text === undefined || answer.complete || holds(answer, text) ? classifyStatus(answer) : undefined;
}

function holds({ body }: HttpResponse, text: string): boolean {
  return body.includes(text);
}

const onOneHost: MayFollow = (from, to) => from.hostname === to.hostname;
