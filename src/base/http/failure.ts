import { errorCode, InputError } from "../errors.ts";
import { printable } from "../text/quote.ts";
import { withoutUserInfo } from "../text/url.ts";
import type { HttpCode, Phase } from "./codes.ts";

/** Why a probe failed. Only thrown inside of a probe, which turns it into the code of an observation. */
export class ProbeFailure extends Error {
  override readonly name = "ProbeFailure";
  readonly code: HttpCode;
  /** How far the request came; undefined if an answer decided, or not known yet. */
  readonly phase: Phase | undefined;

  constructor(code: HttpCode, options: ErrorOptions & { readonly phase?: Phase } = {}) {
    super(code, options);
    this.code = code;
    this.phase = options.phase;
  }
}

/** Returns the failure with the phase of its request. */
export function inPhase(failure: ProbeFailure, phase: Phase): ProbeFailure {
  const { code, cause } = failure;
  return failure.phase === undefined ? new ProbeFailure(code, { cause, phase }) : failure;
}

/** This machine has no descriptor left for another connection. That says nothing about a mirror. */
export class OutOfDescriptors extends InputError {
  constructor(options?: ErrorOptions) {
    super(
      "More connections are needed than this machine may have open; raise the limit (ulimit -n) or lower probe.concurrency.",
      options,
    );
  }
}

/**
 * Returns the failure that an error of a socket, of TLS or of undici stands for, with the error as its cause. The code of
 * an unknown error is `otherwise`: a mirror that makes a library fail in a new way must not end the run. Returns
 * OutOfDescriptors if this machine has none left.
 */
export function asFailure(error: unknown, otherwise: HttpCode = "not_http"): ProbeFailure | OutOfDescriptors {
  // undici passes them on from connecting.
  if (error instanceof ProbeFailure || error instanceof OutOfDescriptors) return error;
  if (isOutOfDescriptors(error)) return new OutOfDescriptors({ cause: error });
  const code = classify(errorCode(error) ?? "") ?? ofSystemCall(error) ?? otherwise;
  return new ProbeFailure(code, { cause: error });
}

/** Returns the code of the error behind a failure; undefined if it has none that fits into results. */
export function causeOf({ cause }: ProbeFailure): string | undefined {
  const code = errorCode(cause) ?? "";
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : undefined;
}

/** Since Node.js 24, errors of certificates end in a hint about an option of Node.js, which mirrorfeed does not have. */
const hintOfNode = /; if the root CA is installed locally, try running Node\.js with --use-system-ca$/;

/** Returns the message of the error behind a failure, safe to print and without credentials; undefined if it has none. */
export function causeTextOf({ cause }: ProbeFailure): string | undefined {
  return cause instanceof Error && cause.message !== ""
    ? printable(withoutUserInfo(cause.message.replace(hintOfNode, "")))
    : undefined;
}

/** Returns whether a system call failed because this process or this machine has too many open descriptors. */
export function isOutOfDescriptors(error: unknown): boolean {
  return errorCode(error) === "EMFILE" || errorCode(error) === "ENFILE";
}

/** Returns the failure that says the most about a mirror, of those of its addresses. */
export function selectFailure(failures: readonly ProbeFailure[]): ProbeFailure {
  const order: readonly HttpCode[] = [
    "tls",
    "refused",
    "reset",
    "timeout",
    "unreachable",
    "blocked_address",
    "no_route",
  ];
  const ranked = failures.toSorted((left, right) => order.indexOf(left.code) - order.indexOf(right.code));
  return ranked[0] ?? new ProbeFailure("dns");
}

function classify(code: string): HttpCode | undefined {
  return exact[code] ?? families.find(([prefix]) => code.startsWith(prefix))?.[1];
}

/** The network may answer with any error code of the system. */
function ofSystemCall(error: unknown): HttpCode | undefined {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  if (error.syscall === "connect") return "unreachable";
  return error.syscall === "read" || error.syscall === "write" ? "reset" : undefined;
}

const exact: Partial<Record<string, HttpCode>> = {
  ECONNREFUSED: "refused",
  ECONNRESET: "reset",
  ECONNABORTED: "reset",
  EPIPE: "reset",
  UND_ERR_SOCKET: "reset",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "reset",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  EHOSTUNREACH: "unreachable",
  ENETUNREACH: "unreachable",
  EHOSTDOWN: "unreachable",
  ENETDOWN: "unreachable",
  EADDRNOTAVAIL: "unreachable",
  EAFNOSUPPORT: "unreachable",
  EACCES: "unreachable",
  EPERM: "unreachable",
  EINVAL: "unreachable",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  /** A proxy refused or failed to open a tunnel. */
  UND_ERR_ABORTED: "unreachable",
  UND_ERR_PRX_TLS: "unreachable",
  UND_ERR_HEADERS_OVERFLOW: "too_large",
  EPROTO: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  INVALID_CA: "tls",
  INVALID_PURPOSE: "tls",
  HOSTNAME_MISMATCH: "tls",
  PATH_LENGTH_EXCEEDED: "tls",
  /** A problem of a certificate that Node.js has no name for. */
  UNSPECIFIED: "tls",
};

/** OpenSSL's verification results and errors. */
const families: readonly (readonly [string, HttpCode])[] = [
  ["CERT_", "tls"],
  ["CRL_", "tls"],
  ["UNABLE_TO_", "tls"],
  ["ERROR_IN_", "tls"],
  ["ERR_SSL_", "tls"],
  ["ERR_TLS_", "tls"],
  ["ERR_OSSL_", "tls"],
];
