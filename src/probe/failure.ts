import { errorCode, InputError } from "../errors.ts";
import type { Code } from "./observation.ts";

/** Why a probe could not go on. It is thrown inside the probe only, and leaves it as the code of an observation. */
export class ProbeFailure extends Error {
  override readonly name = "ProbeFailure";
  readonly code: Code;

  constructor(code: Code, options?: ErrorOptions) {
    super(code, options);
    this.code = code;
  }
}

/**
 * The failure that an error of a socket, of TLS or of undici stands for. What is no fault of a mirror is not blamed on
 * one: throws InputError where this machine has no descriptors left, and an error that is none of these itself, as a
 * fault of ours.
 */
export function asFailure(error: unknown): ProbeFailure {
  if (error instanceof ProbeFailure) return error;
  if (errorCode(error) === "EMFILE" || errorCode(error) === "ENFILE") {
    throw new InputError(
      "More connections are needed than this machine may have open; raise the limit (ulimit -n) or lower probe.concurrency.",
      { cause: error },
    );
  }
  const code =
    error instanceof Error && error.name === "HTTPParserError"
      ? "not_http"
      : (classify(errorCode(error) ?? "") ?? ofSystemCall(error));
  if (code === undefined) throw error;
  return new ProbeFailure(code, { cause: error });
}

/** The failure that says most of the mirror, out of those of its several addresses. */
export function mostTelling(failures: readonly ProbeFailure[]): ProbeFailure {
  const order: readonly Code[] = [
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

function classify(code: string): Code | undefined {
  return exact[code] ?? families.find(([prefix]) => code.startsWith(prefix))?.[1];
}

/** The network may answer with any error that the system has a number for. */
function ofSystemCall(error: unknown): Code | undefined {
  if (!(error instanceof Error) || !("syscall" in error)) return undefined;
  if (error.syscall === "connect") return "unreachable";
  return error.syscall === "read" || error.syscall === "write" ? "reset" : undefined;
}

const exact: Partial<Record<string, Code>> = {
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
  /** A proxy would not or could not open the way. */
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
  /** A verdict on a certificate that Node has no name for. */
  UNSPECIFIED: "tls",
};

/** OpenSSL's verification results and errors. */
const families: readonly (readonly [string, Code])[] = [
  ["CERT_", "tls"],
  ["CRL_", "tls"],
  ["UNABLE_TO_", "tls"],
  ["ERROR_IN_", "tls"],
  ["ERR_SSL_", "tls"],
  ["ERR_TLS_", "tls"],
  ["ERR_OSSL_", "tls"],
];
