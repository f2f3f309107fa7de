import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** A request, as the tests assert on it. */
export interface SeenRequest {
  readonly method: string | undefined;
  /** Path and query, as they came. */
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** What a server or a mirror has received so far. The numbers are live. */
export interface Counts {
  readonly requests: number;
  readonly connections: number;
  /** The requests whose answer has not ended and whose client is still connected. */
  readonly inFlight: number;
  readonly peakInFlight: number;
  readonly lastRequest: SeenRequest | undefined;
}

/** Counts the requests and connections of a server or a mirror. */
export class Traffic implements Counts {
  requests = 0;
  connections = 0;
  inFlight = 0;
  peakInFlight = 0;
  lastRequest: SeenRequest | undefined = undefined;
  readonly #sockets = new WeakSet<Socket>();

  /** Counts a connection once, however many requests it carries. */
  countConnection(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    this.connections += 1;
  }

  /** Counts a request, which is in flight until its response is closed. */
  countRequest({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
    this.requests += 1;
    this.lastRequest = { method, url, headers };
    this.inFlight += 1;
    this.peakInFlight = Math.max(this.peakInFlight, this.inFlight);
    response.once("close", () => {
      this.inFlight -= 1;
    });
  }
}
