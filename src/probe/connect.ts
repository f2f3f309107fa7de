import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type SecureContext, TLSSocket } from "node:tls";
import { asError } from "../errors.ts";
import { type Families, hasRoute, literalAddress } from "./address.ts";
import { asFailure, mostTelling, ProbeFailure } from "./failure.ts";
import type { Addresses, NameResolver } from "./resolve.ts";

/** What a connection is made with. */
export interface Wiring {
  readonly resolver: NameResolver;
  readonly secureContext: SecureContext;
  readonly families: Families;
  /** Whether an address may be connected to. */
  readonly isAllowed: (address: string) => boolean;
}

/** RFC 8305, section 5: how long one address may be alone before the next one is tried beside it. */
const attemptDelayMs = 250;

/**
 * A connection to the origin of a url, secured where the url says https. The address that was checked is the one
 * connected to, for the name is resolved here and the socket gets the address. Rejects with a ProbeFailure, or with
 * the signal's reason.
 */
export async function connect(url: URL, wiring: Wiring, signal: AbortSignal): Promise<Socket> {
  const literal = literalAddress(url.hostname);
  const found: Addresses =
    literal === undefined
      ? await wiring.resolver.resolve(url.hostname, signal)
      : { first: [literal], rest: Promise.resolve([]) };
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const socket = await race(found, port, wiring, signal);
  return secure ? await handshake(socket, url, wiring, signal) : socket;
}

/**
 * Happy Eyeballs (RFC 8305): the addresses are tried one after the other, 250 ms apart, and none is given up before
 * the signal says so, because a slow address is not a dead one. The first connection wins.
 */
function race(found: Addresses, port: number, wiring: Wiring, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const queue = [...found.first];
    const open = new Set<Socket>();
    const failures: ProbeFailure[] = [];
    let moreToCome = true;
    let timer: NodeJS.Timeout | undefined;

    const end = (winner?: Socket): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      for (const socket of open) if (socket !== winner) socket.destroy();
      open.clear();
      queue.length = 0;
      moreToCome = false;
    };
    const fail = (reason: unknown): void => {
      end();
      reject(asError(reason));
    };
    const abort = (): void => {
      fail(signal.reason);
    };
    const next = (): void => {
      clearTimeout(timer);
      const address = queue.shift();
      if (address !== undefined) {
        attempt(address);
      } else if (open.size === 0 && !moreToCome) {
        fail(mostTelling(failures));
      }
    };
    const attempt = (address: string): void => {
      const refusal = refuse(address, wiring);
      if (refusal !== undefined) {
        failures.push(refusal);
        next();
        return;
      }
      const socket = connectTcp({ host: address, port, noDelay: true });
      open.add(socket);
      timer = setTimeout(next, attemptDelayMs);
      socket.once("connect", () => {
        socket.removeAllListeners("error");
        end(socket);
        resolve(socket);
      });
      socket.on("error", (error) => {
        if (!open.delete(socket)) return;
        try {
          failures.push(asFailure(error));
          next();
        } catch (fault) {
          fail(fault);
        }
      });
    };

    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    next();
    found.rest.then((late) => {
      if (!moreToCome) return;
      moreToCome = false;
      queue.push(...late);
      if (open.size === 0 || queue.length === late.length) next();
    }, fail);
  });
}

function refuse(address: string, { isAllowed, families }: Wiring): ProbeFailure | undefined {
  if (!isAllowed(address)) return new ProbeFailure("blocked_address");
  return hasRoute(address, families) ? undefined : new ProbeFailure("no_route");
}

function handshake(socket: Socket, url: URL, wiring: Wiring, signal: AbortSignal): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const literal = literalAddress(url.hostname);
    const host = literal ?? url.hostname.replace(/\.$/, "");
    const secured = connectTls({
      socket,
      host,
      // RFC 6066, section 3: an address is no server name.
      servername: literal === undefined ? host : "",
      secureContext: wiring.secureContext,
      ALPNProtocols: ["http/1.1"],
      // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED cannot take it back.
      rejectUnauthorized: true,
    });
    const end = (): void => {
      signal.removeEventListener("abort", abort);
    };
    const abort = (): void => {
      secured.destroy();
      reject(asError(signal.reason));
    };
    signal.addEventListener("abort", abort, { once: true });
    secured.once("secureConnect", () => {
      end();
      secured.removeAllListeners("error");
      resolve(secured);
    });
    secured.on("error", (error: Error) => {
      end();
      reject(error);
    });
  });
}

/** When the certificate of a secured connection expires, as an ISO moment; undefined for a plain one. */
export function certificateExpiry(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const expiry = Date.parse(socket.getPeerCertificate().valid_to);
  return Number.isNaN(expiry) ? undefined : new Date(expiry).toISOString();
}
