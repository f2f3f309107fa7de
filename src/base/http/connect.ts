import { connect as connectTcp, type Socket } from "node:net";
import { asError } from "../errors.ts";
import { type Families, hasRoute, literalAddress } from "./address.ts";
import type { Phase } from "./codes.ts";
import { asFailure, causeOf, selectFailure, ProbeFailure } from "./failure.ts";
import { handshake, type Secured, type TlsOptions } from "./handshake.ts";
import type { Addresses, NameResolver } from "./resolve.ts";

/** How a connection is opened. */
export interface ConnectOptions extends TlsOptions {
  readonly resolver: NameResolver;
  readonly families: Families;
  /** Whether an address may be connected to. */
  readonly isAllowed: (address: string) => boolean;
}

/** How long an address is tried alone, before the next one is tried beside it (RFC 8305, section 5). */
const attemptDelayMs = 250;

/** A connection: the TCP socket, and the socket to read and write, which is TLS over it for HTTPS. */
export interface Connected extends Secured {
  readonly wire: Socket;
}

/**
 * Connects to the origin of a URL, with TLS for HTTPS, and sets `progress.phase` on the way. Resolves the name itself and
 * connects to an address that it has checked. Rejects with a ProbeFailure, or with the signal's reason.
 */
export async function connect(
  url: URL,
  options: ConnectOptions,
  signal: AbortSignal,
  progress: { phase: Phase },
): Promise<Connected> {
  progress.phase = "resolve";
  const secure = url.protocol === "https:";
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port);
  const literal = literalAddress(url.hostname);
  const { first, rest } =
    literal === undefined
      ? await resolve(url.hostname, options, signal)
      : { first: [literal], rest: undefined };
  progress.phase = "connect";
  const wire = await race(first, rest, port, options, signal);
  if (secure) progress.phase = "tls";
  const connected = secure
    ? await handshake(wire, url, options, signal)
    : { socket: wire, tlsExpiresAt: undefined };
  progress.phase = "send";
  return { wire, ...connected };
}

async function resolve(
  hostname: string,
  { resolver, onStep }: ConnectOptions,
  signal: AbortSignal,
): Promise<Addresses> {
  const found = await resolver.resolve(hostname, signal);
  if (onStep === undefined) return found;
  const { first, rest, source = "dns" } = found;
  onStep({ step: "resolve", hostname, addresses: first, source });
  const traced = rest.then((addresses) => {
    if (addresses.length > 0) onStep({ step: "resolve", hostname, addresses, source });
    return addresses;
  });
  return { first, rest: traced };
}

/**
 * Happy Eyeballs (RFC 8305): tries the addresses one after the other, 250 ms apart. The first connection wins. Only the
 * signal ends an attempt, because a slow address is not a dead one.
 */
function race(
  first: readonly string[],
  rest: Promise<readonly string[]> | undefined,
  port: number,
  options: ConnectOptions,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const queue = [...first];
    const open = new Set<Socket>();
    const failures: ProbeFailure[] = [];
    let isMoreToCome = rest !== undefined;
    let timer: NodeJS.Timeout | undefined;

    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      for (const socket of open) socket.destroy();
      open.clear();
      queue.length = 0;
      isMoreToCome = false;
    };
    const fail = (reason: unknown): void => {
      end();
      reject(asError(reason));
    };
    const onAbort = (): void => {
      fail(signal.reason);
    };
    const next = (): void => {
      clearTimeout(timer);
      const address = queue.shift();
      if (address !== undefined) attempt(address);
      else if (open.size === 0 && !isMoreToCome) fail(selectFailure(failures));
    };
    const goOn = (address: string, failure: ProbeFailure): void => {
      failures.push(failure);
      options.onStep?.({ step: "not_connected", address, code: failure.code, cause: causeOf(failure) });
      next();
    };
    const attempt = (address: string): void => {
      const refusal = addressFailure(address, options);
      if (refusal !== undefined) {
        goOn(address, refusal);
        return;
      }
      options.onStep?.({ step: "connect", address, port });
      const socket = connectTcp({ host: address, port, noDelay: true });
      const onError = (error: Error): void => {
        // The race may be over.
        if (!open.delete(socket)) return;
        const failure = asFailure(error, "unreachable");
        if (failure instanceof ProbeFailure) goOn(address, failure);
        else fail(failure);
      };
      open.add(socket);
      socket.on("error", onError);
      socket.once("connect", () => {
        if (!open.delete(socket)) return;
        // Node.js keeps a closed socket for a while, with its listeners.
        socket.removeListener("error", onError);
        end();
        options.onStep?.({ step: "connected", address, port });
        resolve(socket);
      });
      if (queue.length > 0) timer = setTimeout(next, attemptDelayMs);
    };

    if (signal.aborted) {
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort);
    next();
    rest?.then((late) => {
      if (!isMoreToCome) return;
      isMoreToCome = false;
      queue.push(...late);
      if (open.size === 0 || queue.length === late.length) next();
    }, fail);
  });
}

function addressFailure(address: string, { isAllowed, families }: ConnectOptions): ProbeFailure | undefined {
  if (!isAllowed(address)) return new ProbeFailure("blocked_address");
  return hasRoute(address, families) ? undefined : new ProbeFailure("no_route");
}
