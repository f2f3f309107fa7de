import { setImmediate } from "node:timers/promises";
import { type Family, familyOf, hasRoute, literalAddress } from "./address.ts";
import type { HttpCode, Phase } from "./codes.ts";
import { connect } from "./connect.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { failureIn, ProbeFailure, unlessAborted } from "./failure.ts";
import { BoundedBody, collect, decodeContent, failingAs, type HttpResponse } from "./response.ts";
import { headersOf, type OnStep, traceRequests } from "./trace.ts";

export interface TransportOptions extends ConnectionOptions {
  readonly userAgent: string;
  readonly maxBytes: number;
}

/** How a request differs from a GET that reads `maxBytes`. */
export interface RequestOptions {
  readonly method?: string | undefined;
  /** The path and query, sent without normalization; those of the URL if it is left out. */
  readonly path?: string | undefined;
  /** Names and values in turn, besides the usual ones. */
  readonly headers?: readonly string[] | undefined;
  readonly body?: string | undefined;
  /** How much of the body is read. */
  readonly maxBytes?: number | undefined;
  /** Reads the body undecoded: some servers declare an archive such as .tar.gz as an encoding of its content. */
  readonly keepEncoding?: boolean | undefined;
  /** Reads the body as it comes, decoded, and leaves it empty for the parser. Ends soon after the signal is aborted. */
  readonly readBody?: ((chunks: AsyncGenerator<Buffer>, signal: AbortSignal) => Promise<void>) | undefined;
}

/** Called with the head of an answer. If that returns undefined, it is called again with everything that is read. */
export type ResponseParser<Parsed> = (answer: HttpResponse) => Parsed | undefined;

/** Returns an answer once all of it is read, or as much as the limit allows. */
export const wholeAnswer: ResponseParser<HttpResponse> = (answer) =>
  answer.complete || answer.bounded ? answer : undefined;

/** For each host and port, as written in URLs, an address of each family that a connection succeeded over. */
export type Answered = Map<string, Readonly<Partial<Record<Family, string>>>>;

/** Failures that the previous request on the connection may have caused. */
const connectionCodes: ReadonlySet<HttpCode> = new Set(["reset", "not_http"]);

export class Transport {
  readonly onStep: OnStep | undefined;
  readonly answered: Answered;
  readonly #options: TransportOptions;
  readonly #isKeeping: boolean;
  readonly #idle = new Map<string, Connection[]>();
  readonly #busy = new Set<Connection>();
  readonly #sockets = new WeakSet();
  readonly #endTrace: (() => void) | undefined;

  constructor(options: TransportOptions, isKeeping = false, answered: Answered = new Map()) {
    const onConnected = (host: string, address: string): void => {
      answered.set(host, { ...answered.get(host), [familyOf(address)]: address });
    };
    this.#options = { ...options, onConnected };
    this.answered = answered;
    this.#isKeeping = isKeeping;
    this.onStep = options.onStep;
    this.#endTrace = options.onStep && traceRequests(this.#sockets, options.onStep);
  }

  /**
   * Returns a transport that reuses its connections. Use one for each mirror: if a server sends a second answer, the
   * next request on that connection gets it.
   */
  keepingConnections(): Transport {
    return new Transport(this.#options, true, this.answered);
  }

  /** Returns the only family over which a host was not connected, if this machine may have it. */
  missingFamily(host: string): Family | undefined {
    const { ipv4, ipv6 } = this.answered.get(host) ?? {};
    const address = ipv4 ?? ipv6;
    if (address === undefined || (ipv4 !== undefined && ipv6 !== undefined)) return undefined;
    const family = ipv4 === undefined ? "ipv4" : "ipv6";
    return hasRoute(address, this.#options.families, family) ? family : undefined;
  }

  /** Connects to the origin of a URL over one family, and requests nothing. Rejects as `request` does. */
  async connectOver(family: Family, url: URL, signal: AbortSignal): Promise<void> {
    const progress: { phase: Phase } = { phase: "resolve" };
    try {
      const { socket } = await connect(url, { ...this.#options, family }, signal, progress);
      socket.on("error", () => undefined).destroy();
    } catch (error) {
      throw failureIn(progress.phase, error, signal);
    }
  }

  /** Ends the connections, and in a run its name lookups too. */
  close(): void {
    this.#endTrace?.();
    if (!this.#isKeeping) this.#options.resolver.close();
    for (const connection of [...this.#idle.values(), ...this.#busy].flat()) connection.close();
    this.#idle.clear();
  }

  /**
   * Requests a URL until `parser` returns a value, or too much is read. Rejects with a ProbeFailure, or with the
   * signal's reason.
   */
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
    const idle = this.#idle.get(url.origin)?.pop();
    if (idle !== undefined) {
      idle.phase = "wait";
      try {
        return await this.#exchange(idle, url, parser, signal, options);
      } catch (error) {
        // The server may close an idle connection (RFC 9112, 9.3.1), or may have sent too much before.
        if (!(error instanceof ProbeFailure) || !connectionCodes.has(error.code)) throw error;
      }
    }
    const connection = new Connection(url, this.#options, signal, (socket) => this.#sockets.add(socket));
    return this.#exchange(connection, url, parser, signal, options);
  }

  async #exchange<Parsed>(
    connection: Connection,
    url: URL,
    parser: ResponseParser<Parsed>,
    signal: AbortSignal,
    requestOptions: RequestOptions,
  ): Promise<Parsed> {
    const { method = "GET", path, headers = [], body, readBody, keepEncoding = false } = requestOptions;
    const { maxBytes = this.#options.maxBytes } = requestOptions;
    /** If undici rejects, the mirror failed. If a parser throws, mirrorfeed has a bug. */
    const failureOf = (error: unknown): Error => failureIn(connection.phase, error, signal);
    let raw: BoundedBody | undefined;
    let isWhole = false;
    this.#busy.add(connection);
    try {
      const answering = connection.request(
        url,
        {
          method,
          path: path ?? `${url.pathname}${url.search}`,
          headers: [
            ...["host", url.host, ...(headers.includes("accept") ? [] : ["accept", "*/*"])],
            ...["user-agent", this.#options.userAgent, "accept-encoding", "identity", ...headers],
          ],
          ...(body === undefined ? {} : { body }),
        },
        maxBytes,
        signal,
      );
      const { statusCode: status, ...response } = await unlessAborted(answering, signal).catch(
        (error: unknown) => {
          throw failureOf(error);
        },
      );
      const bounded = new BoundedBody(response.body, maxBytes);
      raw = bounded;
      connection.beginBody(() => bounded.received + response.body.readableLength);
      this.onStep?.({ step: "response", status, ...headersOf(response.headers) });
      const { tlsExpiresAt } = connection;
      const head: HttpResponse = {
        ...{ status, headers: response.headers, tlsExpiresAt },
        ...{ body: Buffer.alloc(0), complete: false, bounded: false },
      };
      const byHead = parser(head);
      if (byHead !== undefined) {
        // undici has read the rest of the packet. If that completes the answer, the connection can be reused.
        response.body.resume();
        await setImmediate();
        isWhole = response.body.readableEnded;
        return byHead;
      }
      const content = keepEncoding ? raw.chunks() : decodeContent(response.headers, raw.chunks());
      const decoded = new BoundedBody(content, maxBytes);
      const chunks = failingAs(decoded.chunks(), failureOf);
      const reading = readBody?.(chunks, signal).then(() => head.body) ?? collect(chunks);
      const read = await unlessAborted(reading, signal).catch((error: unknown) => {
        throw signal.aborted ? failureOf(error) : error;
      });
      if (raw.complete && endsWithConnection(response.headers) && connection.reset !== undefined)
        throw failureOf(connection.reset);
      isWhole = raw.complete;
      const complete = raw.complete && decoded.complete;
      const parsed = parser({ ...head, body: read, complete, bounded: !complete });
      if (parsed !== undefined) return parsed;
      if (complete) throw new Error("A complete answer was left undecided.");
      throw new ProbeFailure("too_large", { phase: "body" });
    } finally {
      if (raw !== undefined) this.onStep?.({ step: "body", bytes: raw.received, complete: isWhole });
      this.#busy.delete(connection);
      if (isWhole && this.#isKeeping) {
        this.#idle.set(url.origin, [...(this.#idle.get(url.origin) ?? []), connection]);
      } else {
        connection.close();
      }
    }
  }
}

/** Returns whether only the end of the connection marks the end of an answer's body (RFC 9112, 6.3). */
function endsWithConnection(headers: HttpResponse["headers"]): boolean {
  const codings = [headers["transfer-encoding"] ?? []].flat().join(",");
  return headers["content-length"] === undefined && !/chunked\s*$/i.test(codings);
}
