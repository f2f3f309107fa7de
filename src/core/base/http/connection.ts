import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { asError } from "../errors.ts";
import type { Phase } from "./codes.ts";
import { connect, type ConnectOptions } from "./connect.ts";
import { failureIn, ProbeFailure } from "./failure.ts";
import { IncomingResponse } from "./response.ts";
import { ResponseLines } from "./response-lines.ts";
import { traceTls } from "./trace.ts";

export type Proxies = Readonly<Record<"httpProxy" | "httpsProxy" | "noProxy", string>>;

export interface ConnectionOptions extends ConnectOptions {
  readonly proxies: Proxies | undefined;
}

/** Headers may be as large as curl and Git allow. The deadline of the probe replaces undici's timeouts. */
const limits = { maxHeaderSize: 300 * 1024, headersTimeout: 0, bodyTimeout: 0 };

/** How many bytes a request may read on top of the body: headers, interim responses, chunk sizes and TLS overhead. */
export const headRoomBytes = 512 * 1024;

/** Fewer bytes have too few lines to keep undici's parser busy, so it may read them before they are counted. */
const harmlessBytes = 4096;

/** Without it, undici would create an error for each closed connection, which takes a tenth of a probe's time. */
const done = new ProbeFailure("reset");

/** A connection to one origin, for one request at a time. Goes through a proxy unless NO_PROXY excludes the origin. */
export class Connection {
  phase: Phase;
  /** When the server's certificate expires. Undefined without TLS. */
  tlsExpiresAt: string | undefined;
  /** The socket that undici writes requests to. */
  socket: Socket | undefined;
  isBusy = false;
  /** Undefined until the headers of the response have arrived. */
  response: IncomingResponse | undefined;
  readonly origin: string;
  readonly #dispatcher: Dispatcher;
  /** The signal of the current request. */
  #signal: AbortSignal | undefined;
  /** The TCP socket. A request may read `#maxBytes` from it, until `bytesRead` reaches `#end`. */
  #wire: Socket | undefined;
  #maxBytes = headRoomBytes;
  #end = 0;
  #lines = new ResponseLines();

  constructor(origin: string, options: ConnectionOptions) {
    this.origin = origin;
    this.phase = options.proxies === undefined ? "resolve" : "connect";
    const dial: buildConnector.connector = (_, callback) => {
      if (this.#signal === undefined) return;
      connect(new URL(origin), options, this.#signal, this).then(
        ({ wire, socket, tlsExpiresAt }) => {
          this.phase = "wait";
          this.tlsExpiresAt = tlsExpiresAt;
          this.#watch(socket, wire);
          callback(null, socket);
        },
        (error: unknown) => {
          callback(asError(error), null);
        },
      );
    };
    this.#dispatcher =
      options.proxies === undefined
        ? new Client(origin, { ...limits, connect: dial })
        : this.#openProxyAgent(options, dial);
  }

  /** Resolves once the headers of the response have arrived. Rejects with a ProbeFailure, or with the signal's reason. */
  request(
    options: Omit<Dispatcher.DispatchOptions, "origin">,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<IncomingResponse> {
    this.#signal = signal;
    this.#maxBytes = maxBytes + headRoomBytes;
    this.response = undefined;
    if (this.socket !== undefined) {
      this.phase = "wait";
      this.#countFromNow();
    }
    return new Promise((resolve, reject) => {
      const response = new IncomingResponse(maxBytes, (error) => {
        if (error !== undefined) {
          reject(failureIn(this.phase, error, signal));
          return;
        }
        this.phase = "body";
        this.response = response;
        resolve(response);
      });
      this.#dispatcher.dispatch({ ...options, origin: this.origin }, response);
    });
  }

  close(): void {
    // Node.js keeps a closed socket, and all that it refers to, until the next full garbage collection.
    this.#signal = undefined;
    this.response = undefined;
    this.#dispatcher.destroy(done, () => undefined);
  }

  #openProxyAgent({ proxies, secureContext, onStep }: ConnectionOptions, dial: buildConnector.connector) {
    return new EnvHttpProxyAgent({
      ...{ ...limits, ...proxies },
      // For origins that bypass the proxies.
      connect: dial,
      clientFactory: (proxy, options: Client.Options) =>
        openClient(proxy, options, (socket) => {
          const { remoteAddress = "", remotePort = 0 } = socket;
          onStep?.({ step: "proxy", address: remoteAddress, port: remotePort });
          this.#watch(socket, socket);
          return undefined;
        }),
      factory: (origin, options: Client.Options) =>
        openClient(origin, options, (socket) => {
          this.#watch(socket);
          const isTraced = onStep !== undefined && socket instanceof TLSSocket;
          const problem = isTraced ? traceTls(socket, socket.getPeerX509Certificate(), onStep) : undefined;
          if (problem === undefined) this.phase = "wait";
          return problem;
        }),
      // With tracing, any certificate is accepted at first. `traceTls` then shows it and rejects it if it is invalid.
      requestTls: { secureContext, rejectUnauthorized: onStep === undefined },
    });
  }

  /**
   * Destroys the socket as soon as it has received too much. undici's parser does not limit interim responses, reason
   * phrases and chunk extensions. With TLS, encrypted bytes are counted, since most of a record may be padding.
   */
  #watch(socket: Socket, wire?: Socket): void {
    if (wire !== undefined) this.#wire = wire;
    this.socket = socket;
    this.#countFromNow();
    const refuse = ([what, code]: readonly [string, string]): void => {
      const cause = Object.assign(new Error(`Received more than ${what}.`), { code });
      socket.destroy(new ProbeFailure("too_large", { cause }));
    };
    const parsedBytes = (): number => socket.bytesRead - socket.readableLength;
    /** How many bytes of the socket `#lines` has seen, or the responses before it. */
    let seenBytes = parsedBytes();
    // This listener runs before undici's. It reads new data first, which the listener below then sees, and puts it back.
    // While undici is paused, older data is left, and undici will read everything at once.
    socket.on("readable", () => {
      if (this.#wire !== undefined && this.#wire.bytesRead > this.#end)
        refuse([`${this.#maxBytes} bytes`, "SOCKET_BYTES"]);
      else if (!this.#lines.isOver && socket.readableLength > harmlessBytes && parsedBytes() === seenBytes) {
        const unread: unknown = socket.read();
        if (unread instanceof Buffer && !socket.destroyed) socket.unshift(unread);
      }
    });
    // Called whenever something is read, which may be data that was put back.
    socket.on("data", (bytes: Buffer) => {
      const newBytes = parsedBytes() - seenBytes;
      if (newBytes <= 0) return;
      seenBytes += newBytes;
      const excess = this.#lines.read(bytes.subarray(-newBytes));
      if (excess !== undefined) refuse(excess);
    });
  }

  #countFromNow(): void {
    this.#lines = new ResponseLines();
    this.#end = (this.#wire?.bytesRead ?? 0) + this.#maxBytes;
  }
}

/** `onConnected` may return an error, which closes the connection. */
function openClient(
  origin: string | URL,
  options: Client.Options,
  onConnected: (socket: Socket) => Error | undefined,
): Client {
  const { connect: dial } = options;
  if (typeof dial !== "function") return new Client(origin, options);
  return new Client(origin, {
    ...options,
    connect: (to, callback) => {
      dial(to, (...connected) => {
        const [, socket] = connected;
        // When ProxyAgent fails, it passes no socket.
        const error = socket ? onConnected(socket) : undefined;
        if (error !== undefined) socket?.destroy();
        if (error === undefined) callback(...connected);
        else callback(error, null);
      });
    },
  });
}
