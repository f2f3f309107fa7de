import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { type buildConnector, Client, type Dispatcher, EnvHttpProxyAgent } from "undici";
import { asError, errorCode } from "../errors.ts";
import type { Phase } from "./codes.ts";
import { connect, type ConnectOptions } from "./connect.ts";
import { ProbeFailure } from "./failure.ts";
import { traceTls } from "./trace.ts";

export interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly except: string | undefined;
}

export interface ConnectionOptions extends ConnectOptions {
  readonly proxies: Proxies | undefined;
}

/** A head may be as large as in curl and Git. The deadline of a probe replaces the timeouts. */
const limits = { maxHeaderSize: 300 * 1024, headersTimeout: 0, bodyTimeout: 0 };

/**
 * undici takes far more time and memory for a line than for its bytes: it keeps two objects, and joins empty values.
 */
const maxHeadLines = 1000;
/** The same holds for trailers. With the chunk sizes, they may be as long as the body plus this. */
const maxFramingBytes = 16 * 1024;
const newline = 0x0a;

/** How many bytes a request may read besides its body: heads, interim answers, chunk sizes, and what TLS adds. */
export const headRoomBytes = 512 * 1024;

/** Ends a connection. Without this error, undici makes one with a stack each time, a tenth of the time of a probe. */
const done = new ProbeFailure("reset");

/** An exclusive connection by undici to one origin, through a proxy unless the origin is excepted. */
export class Connection {
  phase: Phase;
  /** When the certificate of the server expires; undefined without TLS. */
  tlsExpiresAt: string | undefined;
  /** The reset that ended the connection. undici mistakes it for the end of an answer without a length. */
  reset: Error | undefined;
  readonly #dispatcher: Dispatcher;
  readonly #onSocket: (socket: Socket) => void;
  #url: URL;
  #signal: AbortSignal;
  /** The socket that undici reads. */
  #socket: Socket | undefined;
  /** The TCP socket, how many bytes it may read for a request, and where that ends. */
  #wire: Socket | undefined;
  #maxBytes = headRoomBytes;
  #end = 0;
  #headLines = 0;
  #isAtLineStart = false;
  #scannedBytes = 0;
  /** Returns how many bytes besides the body came after the head. Undefined before it has ended. */
  #framingBytes: (() => number) | undefined;

  /** `onSocket` is called with each new socket before anything is read. */
  constructor(url: URL, options: ConnectionOptions, signal: AbortSignal, onSocket: (socket: Socket) => void) {
    this.#url = url;
    this.#signal = signal;
    this.#onSocket = onSocket;
    this.phase = options.proxies === undefined ? "resolve" : "connect";
    const dial: buildConnector.connector = (_, callback) => {
      this.#dial(options, callback);
    };
    this.#dispatcher =
      options.proxies === undefined
        ? new Client(url.origin, { ...limits, connect: dial })
        : this.#openProxyAgent(options.proxies, options, dial);
  }

  request(
    url: URL,
    options: Omit<Dispatcher.RequestOptions, "origin">,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    this.#url = url;
    this.#signal = signal;
    this.#maxBytes = maxBytes + headRoomBytes;
    this.#countFromNow();
    return this.#dispatcher.request({ ...options, origin: url.origin });
  }

  /**
   * Starts counting the bytes that are not part of a body. `bodyBytes` returns how many body bytes undici has found.
   */
  beginBody(bodyBytes: () => number): void {
    this.phase = "body";
    const socket = this.#socket;
    if (socket === undefined) return;
    const parsedBytes = (): number => socket.bytesRead - socket.readableLength;
    const headBytes = parsedBytes() - bodyBytes();
    this.#framingBytes = () => parsedBytes() - headBytes - 2 * bodyBytes();
  }

  close(): void {
    this.#dispatcher.destroy(done, () => undefined);
  }

  #dial(options: ConnectionOptions, callback: buildConnector.Callback): void {
    this.tlsExpiresAt = undefined;
    connect(this.#url, options, this.#signal, this).then(
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
  }

  #openProxyAgent(
    { http = "", https = "", except = "" }: Proxies,
    { secureContext, onStep }: ConnectionOptions,
    dial: buildConnector.connector,
  ): Dispatcher {
    return new EnvHttpProxyAgent({
      ...limits,
      // For origins that bypass the proxies.
      connect: dial,
      clientFactory: (proxy, options: Client.Options) =>
        new Client(
          proxy,
          afterConnecting(options, (socket) => {
            const { remoteAddress = "", remotePort = 0 } = socket;
            onStep?.({ step: "proxy", address: remoteAddress, port: remotePort });
            this.#watch(socket, socket);
            return undefined;
          }),
        ),
      factory: (origin, options: Client.Options) =>
        new Client(
          origin,
          afterConnecting(options, (socket) => {
            this.#watch(socket);
            const isTraced = onStep !== undefined && socket instanceof TLSSocket;
            const problem = isTraced ? traceTls(socket, socket.getPeerX509Certificate(), onStep) : undefined;
            if (problem === undefined) this.phase = "wait";
            return problem;
          }),
        ),
      httpProxy: http,
      httpsProxy: https,
      noProxy: except,
      // A traced connection first shows the certificate, and then fails in the same way.
      requestTls: { secureContext, rejectUnauthorized: onStep === undefined },
    });
  }

  /**
   * Ends a new socket as soon as it has read too much. No parser limits interim answers, reason phrases and chunk
   * extensions. Over TLS the bytes of the wire are counted, since most of a record may be padding.
   */
  #watch(socket: Socket, wire?: Socket): void {
    if (wire !== undefined) {
      this.#wire = wire;
      this.#countFromNow();
    }
    this.#onSocket(socket);
    this.reset = undefined;
    socket.on("error", (error) => {
      if (errorCode(error) === "ECONNRESET") this.reset = error;
    });
    const refuse = (what: string, code: string): void => {
      const cause = Object.assign(new Error(`More than ${what} came on the connection.`), { code });
      socket.destroy(new ProbeFailure("too_large", { cause }));
    };
    this.#socket = socket;
    this.#scannedBytes = 0;
    // This listener is called before that of undici.
    socket.on("readable", () => {
      if (this.#wire !== undefined && this.#wire.bytesRead > this.#end)
        refuse(`${this.#maxBytes} bytes`, "SOCKET_BYTES");
      else if (this.#framingBytes === undefined && !this.#hasFewLines(socket))
        refuse(`${maxHeadLines} lines of a head`, "HEAD_LINES");
      else if ((this.#framingBytes?.() ?? 0) > maxFramingBytes)
        refuse(`${maxFramingBytes} bytes besides a body`, "FRAMING_BYTES");
    });
  }

  /**
   * Returns whether the head has few lines so far, and leaves the data for undici. Lines after the head are not
   * counted.
   */
  #hasFewLines(socket: Socket): boolean {
    const fresh = socket.bytesRead - this.#scannedBytes;
    // Data that undici leaves for later, as while it is paused, comes here again.
    if (fresh === 0) return true;
    const all: unknown = socket.read();
    if (!(all instanceof Buffer)) return true;
    this.#scannedBytes += fresh;
    const chunk = all.subarray(-fresh);
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      const isBlank =
        (start > 0 || this.#isAtLineStart) && chunk.toString("latin1", start, end).trim() === "";
      this.#headLines = isBlank ? 0 : this.#headLines + 1;
      if (isBlank) break;
      if (this.#headLines > maxHeadLines) return false;
      start = end + 1;
    }
    this.#isAtLineStart = chunk.at(-1) === newline;
    socket.unshift(all);
    return true;
  }

  #countFromNow(): void {
    this.#headLines = 0;
    this.#isAtLineStart = false;
    this.#framingBytes = undefined;
    this.#end = (this.#wire?.bytesRead ?? 0) + this.#maxBytes;
  }
}

function afterConnecting(
  options: Client.Options,
  show: (socket: Socket) => Error | undefined,
): Client.Options {
  const { connect: dial } = options;
  if (typeof dial !== "function") return options;
  return {
    ...options,
    connect: (to, callback) => {
      dial(to, (...connected) => {
        // ProxyAgent leaves the socket out if it fails.
        const error = connected[1] ? show(connected[1]) : undefined;
        if (error === undefined) {
          callback(...connected);
        } else {
          connected[1]?.destroy();
          callback(error, null);
        }
      });
    },
  };
}
