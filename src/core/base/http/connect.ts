import { once } from "node:events";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls, type SecureContext } from "node:tls";
import { asError } from "../errors.ts";
import { type Families, type Family, familyOf, hasRoute, literalAddress } from "./address.ts";
import type { Phase } from "./codes.ts";
import { asFailure, causeOf, ProbeFailure, selectFailure } from "./failure.ts";
import type { NameResolver } from "./resolve.ts";
import { certificateTime, type OnStep, traceTls } from "./trace.ts";

/** For each host and port, as written in URLs, an address of each family over which a connection succeeded. */
export type Answered = Map<string, Readonly<Partial<Record<Family, string>>>>;

export interface ConnectOptions {
  readonly resolver: NameResolver;
  readonly secureContext: SecureContext;
  readonly families: Families;
  /** Connects only to addresses of this family. */
  readonly family?: Family | undefined;
  readonly isAllowed: (address: string) => boolean;
  /** Each connection that is ready for a request adds its address. */
  readonly answered: Answered;
  readonly onStep?: OnStep | undefined;
}

/** How long to wait before trying the next address (RFC 8305, section 5). */
const attemptDelayMs = 250;

/**
 * Updates `progress.phase`. Returns the TCP socket (`wire`), and TLS over it for HTTPS (`socket`). Rejects with any
 * error if the signal is aborted, else with a ProbeFailure or OutOfDescriptors.
 */
export async function connect(
  url: URL,
  options: ConnectOptions,
  signal: AbortSignal,
  progress: { phase: Phase },
) {
  progress.phase = "resolve";
  const isSecure = url.protocol === "https:";
  const port = url.port === "" ? (isSecure ? 443 : 80) : Number(url.port);
  const { first, rest, source = "dns" } = await options.resolver.resolve(url.hostname, signal);
  const show = (all: readonly string[]): readonly string[] => {
    const { family } = options;
    const addresses = all.filter((address) => family === undefined || family === familyOf(address));
    if (addresses.length > 0 && progress.phase === "resolve") progress.phase = "connect";
    if (source !== "literal" && addresses.length > 0)
      options.onStep?.({ step: "resolve", hostname: url.hostname, addresses, source });
    return addresses;
  };
  const wire = await race(show(first), rest?.then(show), port, options, signal);
  const { remoteAddress = "" } = wire;
  if (isSecure) progress.phase = "tls";
  const secured = isSecure
    ? await handshake(wire, url, options, signal)
    : { socket: wire, tlsExpiresAt: undefined };
  const known = options.answered.get(url.host);
  options.answered.set(url.host, { ...known, [familyOf(remoteAddress)]: remoteAddress });
  return { wire, ...secured };
}

/** Happy Eyeballs (RFC 8305). Attempts have no timeout of their own, because a slow address is not a dead one. */
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
      const isAllowed = options.isAllowed(address);
      if (!isAllowed || !hasRoute(address, options.families)) {
        goOn(address, new ProbeFailure(isAllowed ? "no_route" : "blocked_address"));
        return;
      }
      options.onStep?.({ step: "connect", address, port });
      const socket = connectTcp({ host: address, port, noDelay: true });
      const onError = (error: Error): void => {
        // Ignores the error if the race is over.
        if (!open.delete(socket)) return;
        const failure = asFailure(error, "unreachable");
        if (failure instanceof ProbeFailure) goOn(address, failure);
        else fail(failure);
      };
      open.add(socket);
      socket.on("error", onError);
      socket.once("connect", () => {
        if (!open.delete(socket)) return;
        // Saves memory: Node.js keeps a closed socket and its listeners for a while.
        socket.removeListener("error", onError);
        end();
        options.onStep?.({ step: "connected", address, port });
        resolve(socket);
      });
      if (queue.length > 0) timer = setTimeout(next, attemptDelayMs);
    };

    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    next();
    rest?.then((late) => {
      if (!isMoreToCome) return;
      isMoreToCome = false;
      queue.push(...late);
      if (open.size === 0 || queue.length === late.length) next();
    }, fail);
  });
}

async function handshake(socket: Socket, { hostname }: URL, options: ConnectOptions, signal: AbortSignal) {
  const { secureContext, onStep } = options;
  const literal = literalAddress(hostname);
  const host = literal ?? hostname.replace(/\.$/, "");
  const secured = connectTls({
    socket,
    host,
    // An address is not a server name (RFC 6066, section 3).
    servername: literal === undefined ? host : "",
    secureContext,
    ALPNProtocols: ["http/1.1"],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect. With tracing, `traceTls` checks the certificate.
    rejectUnauthorized: onStep === undefined,
  });
  try {
    await once(secured, "secureConnect", { signal });
    // Node.js returns it only once.
    const certificate = secured.getPeerX509Certificate();
    const problem = onStep && traceTls(secured, certificate, onStep);
    if (problem !== undefined) throw problem;
    return { socket: secured, tlsExpiresAt: certificateTime(certificate?.validTo) };
  } catch (error) {
    secured.on("error", () => undefined).destroy();
    throw asFailure(error, "tls");
  }
}
