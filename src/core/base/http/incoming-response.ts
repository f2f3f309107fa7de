import type { Body, HttpResponse } from "./response.ts";

/** How much of a body may wait for its reader before undici pauses the connection. */
const maxUnreadBytes = 64 * 1024;

/** undici's controller of a request. */
type Controller = Readonly<{ paused: boolean; pause: () => void; resume: () => void }>;

/** A response that is arriving. undici calls the methods whose names begin with `on`. */
export class IncomingResponse implements Body {
  status = 0;
  headers: HttpResponse["headers"] = {};
  /** How many bytes of the body have arrived. */
  received = 0;
  /** Whether the response has ended within `maxBytes`. */
  complete = false;
  readonly #maxBytes: number;
  readonly #onHead: (error?: Error) => void;
  readonly #unread: Buffer[] = [];
  #unreadBytes = 0;
  #error: Error | undefined;
  #controller: Controller | undefined;
  /** Wakes the reader that waits for the next chunk. */
  #wake = (): void => undefined;

  /** Calls `onHead` once the headers have arrived, or with an error if they never do. */
  constructor(maxBytes: number, onHead: (error?: Error) => void) {
    this.#maxBytes = maxBytes;
    this.#onHead = onHead;
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
  }

  onResponseStart(_: unknown, status: number, headers: HttpResponse["headers"]): void {
    if (status < 200) return;
    this.status = status;
    this.headers = headers;
    this.#onHead();
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    const room = this.#maxBytes - this.received;
    this.received += chunk.length;
    if (room > 0) this.#unread.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > maxUnreadBytes) controller.pause();
    this.#wake();
  }

  onResponseEnd(): void {
    this.complete = this.received <= this.#maxBytes;
    this.#wake();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#error = error;
    if (this.status === 0) this.#onHead(error);
    this.#wake();
  }

  /** Yields the first `maxBytes` of the body. Throws if the connection fails before. */
  async *chunks(): AsyncGenerator<Buffer, undefined> {
    for (;;) {
      const chunk = this.#unread.shift();
      if (chunk !== undefined) {
        yield chunk;
      } else if (this.complete || this.received > this.#maxBytes) {
        return;
      } else if (this.#error !== undefined) {
        throw this.#error;
      } else {
        this.#unreadBytes = 0;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
          if (this.#controller?.paused === true) this.#controller.resume();
        });
      }
    }
  }
}
