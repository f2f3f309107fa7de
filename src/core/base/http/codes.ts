/** Codes for HTTP and the layers below it, each with its sentence. Documents list the codes in this order. */
export const httpCodes = {
  ok: "The mirror answered as expected.",
  dns: "Its name could not be resolved.",
  refused: "It refused the connection.",
  unreachable: "There is no network route to it.",
  no_route: "It is only reachable over an IP version that this prober lacks, so it was not observed.",
  reset: "It dropped the connection.",
  timeout: "It did not answer in time.",
  tls: "Its certificate or TLS connection was not accepted.",
  redirect: "It redirects in a way that mirrorfeed does not follow.",
  http_status: "It answered with an HTTP error.",
  rate_limited: "It answered that there were too many requests, which is not evidence against it.",
  challenge:
    "A bot check answered in its place, which is not evidence against it; ask its operator to let the prober's User-Agent pass.",
  captive_portal:
    "The prober's network asked for a login instead of passing on the request, which is not evidence against the mirror.",
  auth: "It asks for credentials: the repository is private or gone.",
  not_http: "Its answer is not valid HTTP.",
  too_large: "Its answer is too large.",
  blocked_address: "Its address is private, and private addresses are not probed.",
} as const;

export type HttpCode = keyof typeof httpCodes;

/** The phases of a request, in order. `send` writes the request, and `wait` ends when the response headers arrive. */
export const phases = ["resolve", "connect", "tls", "send", "wait", "body"] as const;

export type Phase = (typeof phases)[number];

/** More precise sentences. Each key is a code and a phase, or `tls` and an error code of OpenSSL or Node.js. */
export const preciseSentences: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "timeout connect": "It did not accept a connection in time.",
    "timeout tls": "It did not finish the TLS handshake in time.",
    "timeout wait": "It accepted the connection, but did not answer in time.",
    "timeout body": "It began its answer, but did not finish it in time.",
    "reset tls": "It dropped the connection during the TLS handshake.",
    "reset wait": "It dropped the connection before it answered.",
    "reset body": "It dropped the connection in the middle of its answer.",
    "tls CERT_HAS_EXPIRED": "Its certificate has expired.",
    "tls CERT_NOT_YET_VALID": "Its certificate is not valid yet.",
    "tls ERR_TLS_CERT_ALTNAME_INVALID": "Its certificate is for another name.",
    "tls HOSTNAME_MISMATCH": "Its certificate is for another name.",
    "tls DEPTH_ZERO_SELF_SIGNED_CERT": "Its certificate is self-signed.",
    "tls SELF_SIGNED_CERT_IN_CHAIN": "Its certificate comes from an untrusted authority.",
    "tls UNABLE_TO_GET_ISSUER_CERT_LOCALLY": "Its certificate comes from an unknown authority.",
    "tls UNABLE_TO_VERIFY_LEAF_SIGNATURE":
      "It does not send the intermediate certificates that link its certificate to a known authority.",
    "tls CERT_REVOKED": "Its certificate was revoked.",
  } satisfies Partial<Record<`${HttpCode} ${Phase}` | `tls ${Uppercase<string>}`, string>>),
);
