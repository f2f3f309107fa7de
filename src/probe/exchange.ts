import { asError } from "../errors.ts";
import type { Ending } from "./deadline.ts";
import { asFailure, ProbeFailure } from "./failure.ts";

/** As much of an HTTP answer as has come: `complete` where it is all. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  readonly complete: boolean;
  readonly tlsExpiresAt: string | undefined;
}

/** What is seen in as much of an answer as has come; undefined while more of it is needed. */
export type Look<Seen> = (answer: Answer) => Seen | undefined;

/** What an exchange asks of its connection, and tells it. */
export interface Line {
  /** When the certificate that was shown expires; undefined for a plain connection. */
  readonly tlsExpiresAt: () => string | undefined;
  /** The connection is not needed any more; where the answer was whole, it can be used again. */
  readonly leave: (isWhole: boolean) => void;
}

const nothing = Buffer.alloc(0);

/**
 * Hears the answer of one request, as a handler of undici's dispatch, until enough of it is seen, `maxBytes` have come
 * or the signal is aborted. A class and no closures, because there is one for each request.
 */
export class Exchange<Seen> {
  readonly seen: Promise<Seen>;
  readonly #look: Look<Seen>;
  readonly #maxBytes: number;
  readonly #signal: Ending;
  readonly #line: Line;
  #resolve!: (seen: Seen) => void;
  #reject!: (reason: Error) => void;
  #answer: Answer | undefined;
  /** What has come of the body, in the first `#received` bytes. */
  #body: Buffer = nothing;
  #received = 0;
  #isSettled = false;
  #hasLeft = false;

  constructor(look: Look<Seen>, maxBytes: number, signal: Ending, line: Line) {
    this.#look = look;
    this.#maxBytes = maxBytes;
    this.#signal = signal;
    this.#line = line;
    this.seen = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    signal.addEventListener("abort", this);
  }

  /** The signal was aborted. */
  handleEvent(): void {
    this.#fail(this.#signal.reason);
  }

  onRequestStart(controller: { readonly abort: (reason: Error) => void }): void {
    if (this.#isSettled) controller.abort(new ProbeFailure("timeout"));
  }

  onResponseStart(_: unknown, status: number, headers: Answer["headers"]): void {
    if (status < 200) return;
    const tlsExpiresAt = this.#line.tlsExpiresAt();
    this.#hear({ status, headers, body: nothing, complete: false, tlsExpiresAt });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#isSettled || this.#answer === undefined) return;
    const { status, headers, tlsExpiresAt } = this.#answer;
    this.#hear({ status, headers, body: this.#add(chunk), complete: false, tlsExpiresAt });
  }

  onResponseEnd(): void {
    this.#leave(true);
    if (this.#isSettled || this.#answer === undefined) return;
    const seen = this.#look({ ...this.#answer, complete: true });
    if (seen === undefined) this.#fail(new Error("A complete answer was left undecided."));
    else this.#settle(seen);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error);
  }

  /** The body with one more chunk. It has room for as much again, so that a slow drip of bytes costs no more than a gush. */
  #add(chunk: Buffer): Buffer {
    const end = this.#received + chunk.length;
    if (this.#received === 0) {
      this.#body = chunk;
    } else {
      if (end > this.#body.length) {
        const roomier = Buffer.allocUnsafe(2 * end);
        this.#body.copy(roomier, 0, 0, this.#received);
        this.#body = roomier;
      }
      chunk.copy(this.#body, this.#received);
    }
    this.#received = end;
    return this.#body.subarray(0, end);
  }

  #hear(answer: Answer): void {
    this.#answer = answer;
    if (this.#isSettled) return;
    const seen = this.#look(answer);
    if (seen !== undefined) {
      this.#settle(seen);
      // What came in the same packet is still being parsed: if that was all, the connection can be used again.
      setImmediate(() => {
        this.#leave(false);
      });
    } else if (this.#received >= this.#maxBytes) {
      this.#fail(new ProbeFailure("too_large"));
    }
  }

  #settle(seen: Seen): void {
    this.#end();
    this.#resolve(seen);
  }

  #fail(error: unknown): void {
    if (this.#isSettled) return;
    this.#end();
    this.#leave(false);
    try {
      this.#reject(this.#signal.aborted ? asError(this.#signal.reason) : asFailure(error));
    } catch (fault) {
      this.#reject(asError(fault));
    }
  }

  #leave(isWhole: boolean): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#line.leave(isWhole);
  }

  #end(): void {
    this.#isSettled = true;
    this.#signal.removeEventListener("abort", this);
  }
}
