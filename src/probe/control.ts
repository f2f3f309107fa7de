import { asError } from "../base/errors.ts";
import type { Control } from "../config/schema.ts";
import { ProbeFailure } from "../base/http/failure.ts";
import { classifyStatus } from "../kinds/classification.ts";
import type { Classify } from "../kinds/kind.ts";
import type { ControlObservation } from "./observation.ts";
import type { ClockAndRandom } from "./probe-node.ts";
import { requestFollowingRedirects, type MayFollow } from "./redirect.ts";
import type { Transport } from "../base/http/transport.ts";
import type { HttpResponse } from "../base/http/response.ts";

/** Returns the URL of a control. */
export function controlUrl(control: Control): string {
  return typeof control === "string" ? control : control.url;
}

/**
 * Requests a control once. Its `proof` says whether this vantage is online. A captive portal answers plain HTTP in the place
 * of any host, and redirects to its login page. So only a valid certificate counts, or the text if there is one, and
 * redirects to other hosts are not followed. Every failure is a value. Rejects only with the reason of an interrupt, or
 * with an internal error.
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
  const named = text === undefined ? { url } : { url, text };
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
    const isCertified = end.protocol === "https:" && classification.code !== "captive_portal";
    const byText = text !== undefined && hasText(answer, text) ? "text" : "none";
    const byTls = isCertified ? "tls" : "none";
    const observation: ControlObservation = {
      ...named,
      proof: text === undefined ? byTls : byText,
      code: classification.code,
      http_status: answer.status,
      latency_ms: Math.max(0, Math.round(endedAt - startedAt)),
      attempts: 1,
      checked_at: new Date(endedAt).toISOString(),
    };
    if (answer.tlsExpiresAt !== undefined) observation.tls_expires_at = answer.tlsExpiresAt;
    return observation;
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw asError(error);
    return {
      ...named,
      proof: "none",
      code: error.code,
      attempts: 1,
      checked_at: new Date(now()).toISOString(),
    };
  }
}

/** Returns a function that classifies by the status. If there is a text, it waits for it or for the end of the answer. */
function classifyControl(text: string | undefined): Classify {
  return (answer) =>
    text === undefined || answer.complete || hasText(answer, text) ? classifyStatus(answer) : undefined;
}

function hasText({ body }: HttpResponse, text: string): boolean {
  return body.includes(text);
}

const onOneHost: MayFollow = (from, to) => from.hostname === to.hostname;
