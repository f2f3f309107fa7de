import { asError, errorCode, InputError } from "../errors.ts";
import { printable } from "../text/quote.ts";
import { withoutUserInfo } from "../text/url.ts";
import type { HttpCode, Phase } from "./codes.ts";

/** Why a request failed. Probes turn this error into the code of an observation. */
export class ProbeFailure extends Error {
  override readonly name = "ProbeFailure";
  readonly code: HttpCode;
  /** Undefined if the response itself is the problem, or if the phase is not known yet. */
  readonly phase: Phase | undefined;

  constructor(code: HttpCode, options: ErrorOptions & { readonly phase?: Phase } = {}) {
    super(code, options);
    this.code = code;
    this.phase = options.phase;
  }
}

/** No file descriptor is left for a connection. This says nothing about the mirror. */
export class OutOfDescriptors extends InputError {}

/** The event loop stalled during a probe, and again when it was repeated. This says nothing about the mirror. */
export class Stalled extends InputError {}

/** Turns any error into a failure, so that a mirror that makes a library fail in a new way does not end the run. */
export function asFailure(error: unknown, fallback: HttpCode = "not_http"): ProbeFailure | OutOfDescriptors {
  if (error instanceof ProbeFailure || error instanceof OutOfDescriptors) return error;
  if (["EMFILE", "ENFILE"].includes(errorCode(error) ?? ""))
    return new OutOfDescriptors(
      "The probe needs more open connections than this machine allows; raise the limit (ulimit -n) or lower probe.concurrency.",
      { cause: error },
    );
  return new ProbeFailure(classify(error) ?? fallback, { cause: error });
}

/** Returns why a request failed, or the reason of an aborted signal. Assertions of undici are failures too. */
export function failureIn(phase: Phase, error: unknown, signal: AbortSignal): Error {
  const reason: unknown = signal.aborted ? signal.reason : asFailure(error);
  if (!(reason instanceof ProbeFailure)) return asError(reason);
  if (reason.phase !== undefined) return reason;
  const { cause } = reason;
  // The deadline passed while the probe was waiting for name servers.
  if (signal.aborted && phase === "resolve") return new ProbeFailure("dns", { phase });
  // undici opens a proxy tunnel and starts TLS through it in one step, so the phase is still `connect` if TLS fails.
  if (phase === "connect" && reason.code === "tls") return new ProbeFailure("tls", { cause, phase: "tls" });
  const isWriting = cause instanceof Error && "syscall" in cause && cause.syscall === "write";
  return new ProbeFailure(reason.code, { cause, phase: phase === "wait" && isWriting ? "send" : phase });
}

/** Returns the error code behind a failure, unless it is one that results do not allow. */
export function causeOf({ cause }: ProbeFailure): string | undefined {
  const code = errorCode(cause) ?? "";
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined;
}

/** Node.js 24 suggests an option that mirrorfeed does not have. */
const nodeHint = /; if the root CA is installed locally, try running Node\.js with --use-system-ca$/;

/** Returns the error message behind a failure, safe to print and without credentials. */
export function causeTextOf({ cause }: ProbeFailure): string | undefined {
  return cause instanceof Error && cause.message !== ""
    ? printable(withoutUserInfo(cause.message.replace(nodeHint, "")))
    : undefined;
}

/** The codes with which a connection to one address can fail. The first say the most about the mirror. */
const connectCodes: readonly HttpCode[] = [
  "tls",
  "refused",
  "reset",
  "timeout",
  "unreachable",
  "blocked_address",
  "no_route",
];

export function selectFailure(failures: readonly ProbeFailure[]): ProbeFailure {
  const rank = ({ code }: ProbeFailure): number => connectCodes.indexOf(code);
  return failures.toSorted((left, right) => rank(left) - rank(right))[0] ?? new ProbeFailure("dns");
}

function classify(error: unknown): HttpCode | undefined {
  const name = errorCode(error) ?? "";
  // OpenSSL errors, including those from verifying certificates.
  if (/^(?:CERT|CRL|UNABLE_TO|ERROR_IN|ERR_SSL|ERR_TLS|ERR_OSSL)_/.test(name)) return "tls";
  const code = codesByName.get(name);
  if (code !== undefined || !(error instanceof Error) || !("syscall" in error)) return code;
  // Connecting can fail with any system error.
  if (error.syscall === "connect") return "unreachable";
  return error.syscall === "read" || error.syscall === "write" ? "reset" : undefined;
}

const errorNames: readonly (readonly [HttpCode, string])[] = [
  ["refused", "ECONNREFUSED"],
  ["reset", "ECONNRESET ECONNABORTED EPIPE UND_ERR_SOCKET UND_ERR_RES_CONTENT_LENGTH_MISMATCH"],
  ["timeout", "ETIMEDOUT UND_ERR_CONNECT_TIMEOUT"],
  ["unreachable", "EHOSTUNREACH ENETUNREACH EHOSTDOWN ENETDOWN"],
  // A proxy refused or failed to open a tunnel.
  ["unreachable", "UND_ERR_ABORTED UND_ERR_PRX_TLS"],
  ["dns", "ENOTFOUND EAI_AGAIN"],
  ["too_large", "UND_ERR_HEADERS_OVERFLOW"],
  ["tls", "EPROTO DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN INVALID_CA INVALID_PURPOSE"],
  // UNSPECIFIED is a certificate problem that Node.js has no code for.
  ["tls", "HOSTNAME_MISMATCH PATH_LENGTH_EXCEEDED UNSPECIFIED"],
];

const codesByName = new Map(
  errorNames.flatMap(([code, names]) => names.split(" ").map((name) => [name, code] as const)),
);

/** Runs a task with a signal that aborts after `timeoutMs` with a ProbeFailure, or with the reason of `interrupt`. */
export async function withDeadline<Result>(
  timeoutMs: number,
  interrupt: AbortSignal,
  task: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  interrupt.throwIfAborted();
  const controller = new AbortController();
  // AbortSignal.any would keep every signal in memory for as long as `interrupt` exists.
  const onInterrupt = (): void => {
    controller.abort(interrupt.reason);
  };
  const timer = setTimeout(() => {
    controller.abort(new ProbeFailure("timeout"));
  }, timeoutMs);
  interrupt.addEventListener("abort", onInterrupt);
  try {
    return await task(controller.signal);
  } finally {
    clearTimeout(timer);
    interrupt.removeEventListener("abort", onInterrupt);
  }
}

/** Rejects with the signal's reason as soon as the signal is aborted. */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      reject(asError(signal.reason));
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort);
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener("abort", onAbort);
    });
  });
}
