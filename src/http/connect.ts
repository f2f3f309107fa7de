import { connect as connectTcp, type Socket } from "node:net";
import { asError } from "../errors.ts";
import { type Families, hasRoute, literalAddress } from "./address.ts";
import type { Phase } from "./codes.ts";
import { asFailure, causeOf, selectFailure, ProbeFailure } from "./failure.ts";
import { handshake, type TlsOptions } from "./handshake.ts";
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
export interface Connected {
  readonly wire: Socket;
  readonly socket: Socket;
  /** When the certificate of the server expires; undefined without TLS. */
  readonly tlsExpiresAt: string | undefined;
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
  const wire = await new Race(first, rest, port, options, signal).won;
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
 * signal ends an attempt, because a slow address is not a dead one. A class with few closures, since each connection
 * needs one.
 */
class Race {
  readonly won: Promise<Socket>;
  #resolve!: (socket: Socket) => void;
  #reject!: (reason: Error) => void;
  readonly #queue: string[];
  readonly #port: number;
  readonly #options: ConnectOptions;
  readonly #signal: AbortSignal;
  readonly #open: Socket[] = [];
  readonly #failures: ProbeFailure[] = [];
  #moreToCome: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    first: readonly string[],
    rest: Promise<readonly string[]> | undefined,
    port: number,
    options: ConnectOptions,
    signal: AbortSignal,
  ) {
    this.won = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#queue = [...first];
    this.#port = port;
    this.#options = options;
    this.#signal = signal;
    this.#moreToCome = rest !== undefined;
    if (signal.aborted) {
      this.handleEvent();
      return;
    }
    signal.addEventListener("abort", this);
    this.#next();
    rest?.then(
      (late) => {
        this.#queueMore(late);
      },
      (reason: unknown) => {
        this.#fail(reason);
      },
    );
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.#fail(this.#signal.reason);
  }

  #queueMore(late: readonly string[]): void {
    if (!this.#moreToCome) return;
    this.#moreToCome = false;
    this.#queue.push(...late);
    if (this.#open.length === 0 || this.#queue.length === late.length) this.#next();
  }

  #next(): void {
    clearTimeout(this.#timer);
    const address = this.#queue.shift();
    if (address !== undefined) this.#attempt(address);
    else if (this.#open.length === 0 && !this.#moreToCome) this.#fail(selectFailure(this.#failures));
  }

  #attempt(address: string): void {
    const refusal = addressFailure(address, this.#options);
    if (refusal !== undefined) {
      this.#options.onStep?.({ step: "not_connected", address, code: refusal.code });
      this.#failures.push(refusal);
      this.#next();
      return;
    }
    this.#options.onStep?.({ step: "connect", address, port: this.#port });
    const socket = connectTcp({ host: address, port: this.#port, noDelay: true });
    const onError = (error: Error): void => {
      if (this.#forget(socket)) this.#failOne(error, address);
    };
    this.#open.push(socket);
    socket.on("error", onError);
    socket.once("connect", () => {
      if (!this.#forget(socket)) return;
      // Node.js keeps a closed socket for a while, with its listeners.
      socket.removeListener("error", onError);
      this.#end();
      this.#options.onStep?.({ step: "connected", address, port: this.#port });
      this.#resolve(socket);
    });
    if (this.#queue.length > 0) {
      this.#timer = setTimeout(() => {
        this.#next();
      }, attemptDelayMs);
    }
  }

  /** Removes a socket from those that are open. Returns false if the race was over before. */
  #forget(socket: Socket): boolean {
    const index = this.#open.indexOf(socket);
    if (index >= 0) this.#open.splice(index, 1);
    return index >= 0;
  }

  #failOne(error: Error, address: string): void {
    try {
      const failure = asFailure(error, "unreachable");
      this.#failures.push(failure);
      const { code } = failure;
      this.#options.onStep?.({ step: "not_connected", address, code, cause: causeOf(failure) });
      this.#next();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(reason: unknown): void {
    this.#end();
    this.#reject(asError(reason));
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this);
    for (const socket of this.#open) socket.destroy();
    this.#open.length = 0;
    this.#queue.length = 0;
    this.#moreToCome = false;
  }
}

function addressFailure(address: string, { isAllowed, families }: ConnectOptions): ProbeFailure | undefined {
  if (!isAllowed(address)) return new ProbeFailure("blocked_address");
  return hasRoute(address, families) ? undefined : new ProbeFailure("no_route");
}
