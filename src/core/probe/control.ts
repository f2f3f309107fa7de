import { asError } from "../base/errors.ts";
import { ProbeFailure } from "../base/http/failure.ts";
import type { Transport } from "../base/http/transport.ts";
import { classifyStatus } from "../kinds/mirror-files.ts";
import type { Classify } from "../kinds/kind.ts";
import type { ControlObservation } from "./observation.ts";
import { type ClockAndRandom, evidenceOf } from "./probe-node.ts";
import { followRedirects } from "./redirect.ts";

/**
 * Requests a control once. A captive portal answers plain HTTP for any host and redirects to its login page. So only a
 * valid certificate or the expected text proves that this vantage is online, and other hosts' answers do not count.
 */
export async function probeControl(
  signal: AbortSignal,
  { url, text }: Pick<ControlObservation, "url" | "text">,
  maxRedirects: number,
  transport: Transport,
  { now }: ClockAndRandom,
): Promise<ControlObservation> {
  // If a text is expected, the response is read until the text appears or the response ends.
  const classify: Classify = (answer) =>
    text === undefined || answer.complete || answer.body.includes(text) ? classifyStatus(answer) : undefined;
  const startedAt = performance.now();
  try {
    const options = { maxRedirects, onOneHost: true } as const;
    const found = await followRedirects(transport, new URL(url), classify, signal, options);
    const { answer, code } = found;
    const isCertified = found.url.protocol === "https:" && code !== "captive_portal";
    const isProof = text === undefined ? isCertified : answer.body.includes(text);
    const proof = text === undefined ? "tls" : "text";
    const evidence = evidenceOf(answer, 1, performance.now() - startedAt, now());
    return { url, text, proof: isProof ? proof : "none", code, ...evidence };
  } catch (error) {
    if (!(error instanceof ProbeFailure)) throw asError(error);
    const checked_at = new Date(now()).toISOString();
    return { url, text, proof: "none", code: error.code, attempts: 1, checked_at };
  }
}
