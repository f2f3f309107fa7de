import { errorCode } from "../errors.ts";
import { type Family, familyOf, hasRoute, literalAddress } from "./address.ts";
import type { HttpCode, Phase } from "./codes.ts";
import { connect } from "./connect.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { failureIn, ProbeFailure, unlessAborted } from "./failure.ts";
import { collect, decodeContent, failingAs, type HttpResponse } from "./response.ts";
import { headersOf, type OnStep, traceRequests } from "./trace.ts";

export interface TransportOptions extends ConnectionOptions {
  readonly userAgent: string;
  /** For requests of Git. The default is `userAgent`. */
  readonly gitUserAgent?: string | undefined;
  readonly maxBytes: number;
}

/** The default is a GET that reads up to the transport's `maxBytes`. */
export interface RequestOptions {
  readonly method?: string | undefined;
  /** Path and query, sent without normalization (default: those of the URL). */
  readonly path?: string | undefined;
  /** Additional headers, as alternating names and values. */
  readonly headers?: readonly string[] | undefined;
  readonly body?: string | undefined;
  readonly isGit?: true;
  readonly maxBytes?: number | undefined;
  /** Receives the decoded body, so the parser gets an empty one. Must end soon after the signal is aborted. */
  readonly readBody?: ((chunks: AsyncGenerator<Buffer>, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Called with the response headers and, if it then returns undefined, again once the body has been read. */
export type ResponseParser<Parsed> = (answer: HttpResponse) => Parsed | undefined;

/** Returns the response once its body has been read to the end or to the limit. */
export const wholeAnswer: ResponseParser<HttpResponse> = (answer) =>
  answer.complete || answer.bounded ? answer : undefined;

/** Failures that the previous request on the connection may have caused. */
const connectionCodes: ReadonlySet<HttpCode> = new Set(["reset", "not_http"]);

export class Transport {
  readonly onStep: OnStep | undefined;
  readonly answered: TransportOptions["answered"];
  readonly #options: TransportOptions;
  readonly #isKeeping: boolean;
  readonly #connections = new Set<Connection>();
  readonly #endTrace: (() => void) | undefined;

  constructor(options: TransportOptions, isKeeping = false) {
    this.answered = options.answered;
    this.onStep = options.onStep;
    this.#isKeeping = isKeeping;
    this.#options = options;
    const isTraced = (socket: unknown): boolean =>
      [...this.#connections].some((connection) => connection.socket === socket);
    this.#endTrace = options.onStep && traceRequests(isTraced, options.onStep);
  }

  /** Returns a transport for one mirror, since an extra response of a server becomes the answer to its next request. */
  keepingConnections(): Transport {
    return new Transport(this.#options, true);
  }

  /** If a host answered over only one family, returns the other, unless this machine has no route for it. */
  missingFamily(host: string): Family | undefined {
    const [address, second] = Object.values(this.answered.get(host) ?? {});
    if (address === undefined || second !== undefined) return undefined;
    const family = familyOf(address) === "ipv4" ? "ipv6" : "ipv4";
    return hasRoute(address, this.#options.families, family) ? family : undefined;
  }

  /** Connects without sending a request. Returns `ok` or the code of the failure. Rejects with the signal's reason. */
  async connectOver(family: Family, url: URL, signal: AbortSignal): Promise<HttpCode> {
    const progress: { phase: Phase } = { phase: "resolve" };
    try {
      const { socket } = await connect(url, { ...this.#options, family }, signal, progress);
      socket.on("error", () => undefined).destroy();
      return "ok";
    } catch (error) {
      const failure = failureIn(progress.phase, error, signal);
      if (failure instanceof ProbeFailure) return failure.code;
      throw failure;
    }
  }

  /** Closes the connections. Also cancels name lookups, unless this transport comes from `keepingConnections`. */
  close(): void {
    this.#endTrace?.();
    if (!this.#isKeeping) this.#options.resolver.close();
    for (const connection of this.#connections) connection.close();
    this.#connections.clear();
  }

  /** Rejects with a ProbeFailure, or with the signal's reason. */
  async request<Parsed>(
    url: URL,
    parser: ResponseParser<Parsed>,
    signal: AbortSignal,
    options: RequestOptions = {},
  ): Promise<Parsed> {
    const literal = literalAddress(url.hostname);
    // Checked here too, because a proxy would connect to any address.
    if (literal !== undefined && !this.#options.isAllowed(literal)) {
      throw new ProbeFailure("blocked_address", { phase: "connect" });
    }
    signal.throwIfAborted();
    const { origin } = url;
    for (const connection of this.#connections) {
      if (connection.origin !== origin || connection.isBusy) continue;
      try {
        return await this.#exchange(connection, signal, this.#read(connection, url, parser, signal, options));
      } catch (error) {
        // The server may have closed the idle connection (RFC 9112, 9.3.1), or sent extra data. A new one can succeed.
        if (!(error instanceof ProbeFailure) || !connectionCodes.has(error.code)) throw error;
        break;
      }
    }
    const connection = new Connection(origin, this.#options);
    this.#connections.add(connection);
    return this.#exchange(connection, signal, this.#read(connection, url, parser, signal, options));
  }

  async #exchange<Parsed>(connection: Connection, signal: AbortSignal, reading: Promise<Parsed>) {
    let isWhole = false;
    connection.isBusy = true;
    try {
      const parsed = await unlessAborted(reading, signal);
      isWhole = connection.response?.complete === true;
      return parsed;
    } catch (error) {
      throw signal.aborted ? failureIn(connection.phase, error, signal) : error;
    } finally {
      if (connection.response !== undefined)
        this.onStep?.({ step: "body", bytes: connection.response.received, complete: isWhole });
      connection.isBusy = false;
      if (!isWhole || !this.#isKeeping) {
        this.#connections.delete(connection);
        connection.close();
      }
    }
  }

  /** An error of the response is a failure of the mirror. An error of a parser is a bug in mirrorfeed. */
  async #read<Parsed>(
    connection: Connection,
    url: URL,
    parser: ResponseParser<Parsed>,
    signal: AbortSignal,
    options: RequestOptions,
  ): Promise<Parsed> {
    const { method = "GET", path, headers = [], body, readBody, isGit } = options;
    const { userAgent, gitUserAgent } = this.#options;
    const maxBytes = options.maxBytes ?? this.#options.maxBytes;
    const agent = (isGit && gitUserAgent) || userAgent;
    const common = ["host", url.host, "user-agent", agent, "accept-encoding", "identity"];
    if (!headers.includes("accept")) common.push("accept", "*/*");
    const request = {
      method,
      path: path ?? `${url.pathname}${url.search}`,
      headers: [...common, ...headers],
      ...(body === undefined ? {} : { body }),
    };
    const response = await connection.request(request, maxBytes, signal);
    const { status } = response;
    this.onStep?.({ step: "response", status, ...headersOf(response.headers) });
    const head = { status, headers: response.headers, tlsExpiresAt: connection.tlsExpiresAt, body: empty };
    // undici has already parsed the rest of the packet. If that completes the response, the connection can be reused.
    const byHead = parser({ ...head, complete: false, bounded: false });
    if (byHead !== undefined) return byHead;
    const failureOf = (error: unknown): Error => failureIn("body", error, signal);
    const content = decodeContent(response.headers, response, maxBytes);
    const chunks = failingAs(content.chunks(), failureOf);
    const read = await (readBody?.(chunks, signal).then(() => empty) ?? collect(chunks));
    // If a response has no length, undici mistakes a reset for its end.
    const error = response.complete && endsWithConnection(response.headers) && connection.socket?.errored;
    if (errorCode(error) === "ECONNRESET") throw failureOf(error);
    const complete = response.complete && content.complete;
    const parsed = parser({ ...head, body: read, complete, bounded: !complete });
    if (parsed !== undefined) return parsed;
    if (complete) throw new Error("The parser returned nothing for a complete response.");
    throw new ProbeFailure("too_large", { phase: "body" });
  }
}

const empty = Buffer.alloc(0);

/** Returns whether the body ends only when the connection is closed (RFC 9112, 6.3). */
function endsWithConnection(headers: HttpResponse["headers"]): boolean {
  const codings = [headers["transfer-encoding"] ?? []].flat().join(",");
  return headers["content-length"] === undefined && !/chunked\s*$/i.test(codings);
}
