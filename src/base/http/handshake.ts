import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { asError } from "../errors.ts";
import { literalAddress } from "./address.ts";
import { asFailure } from "./failure.ts";
import { type OnStep, traceTls } from "./trace.ts";

/** How TLS is set up. */
export interface TlsOptions {
  readonly secureContext: SecureContext;
  readonly onStep?: OnStep | undefined;
}

/** A connection to read and write. */
export interface Secured {
  readonly socket: Socket;
  /** When the certificate of the server expires; undefined without TLS. */
  readonly tlsExpiresAt: string | undefined;
}

/** Secures a socket to the origin of a URL. Rejects with a ProbeFailure, or with the signal's reason. */
export function handshake(
  socket: Socket,
  url: URL,
  { secureContext, onStep }: TlsOptions,
  signal: AbortSignal,
): Promise<Secured> {
  return new Promise((resolve, reject) => {
    const literal = literalAddress(url.hostname);
    const host = literal ?? url.hostname.replace(/\.$/, "");
    const secured = connectTls({
      socket,
      host,
      // An address is not a server name (RFC 6066, section 3).
      servername: literal === undefined ? host : "",
      secureContext,
      ALPNProtocols: ["http/1.1"],
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED changes nothing. A traced connection is checked below instead.
      rejectUnauthorized: onStep === undefined,
    });
    const onAbort = (): void => {
      secured.destroy();
      reject(asError(signal.reason));
    };
    const end = (): void => {
      signal.removeEventListener("abort", onAbort);
    };
    signal.addEventListener("abort", onAbort);
    secured.once("secureConnect", () => {
      const certificate = secured.getPeerX509Certificate();
      const problem = onStep && traceTls(secured, certificate, onStep);
      if (problem !== undefined) {
        secured.destroy(problem);
        return;
      }
      end();
      secured.removeAllListeners("error");
      resolve({ socket: secured, tlsExpiresAt: expiryOf(certificate) });
    });
    secured.on("error", (error: Error) => {
      end();
      reject(asFailure(error, "tls"));
    });
  });
}

function expiryOf(certificate: X509Certificate | undefined): string | undefined {
  const expiry = Date.parse(certificate?.validTo ?? "");
  return Number.isNaN(expiry) ? undefined : new Date(expiry).toISOString();
}
