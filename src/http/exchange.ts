import { asError } from "../errors.ts";
import { codingsOf, type Content, decodeContent } from "./content-encoding.ts";
import type { Phase } from "./codes.ts";
import { asFailure, inPhase, ProbeFailure } from "./failure.ts";
import type { HttpResponse } from "./response.ts";
import { headersOf, type OnStep } from "./trace.ts";

/** What is seen in an answer. Called with its head, and if it returns undefined, with all of it that is read. */
export type ResponseParser<Seen> = (answer: HttpResponse) => Seen | undefined;

/** What an exchange asks of its connection, and tells it. */
export interface ConnectionHandle {
  /** How far the request came that it serves now, or served last. */
  phase: Phase;
  readonly onStep?: OnStep | undefined;
  /** When the certificate that was shown expires; undefined for a plain connection. */
  tlsExpiresAt: string | undefined;
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
  readonly #look: ResponseParser<Seen>;
  readonly #maxBytes: number;
  readonly #signal: AbortSignal;
  readonly #line: ConnectionHandle;
  #resolve!: (seen: Seen) => void;
  #reject!: (reason: Error) => void;
  #answer: HttpResponse | undefined;
  /** What has come of the body, in the first `#received` bytes. */
  #body: Buffer = nothing;
  #received = 0;
  #isComplete = false;
  #isSettled = false;
  #hasLeft = false;

  constructor(look: ResponseParser<Seen>, maxBytes: number, signal: AbortSignal, line: ConnectionHandle) {
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
    this.#line.phase = "wait";
    if (this.#isSettled) controller.abort(new ProbeFailure("timeout"));
  }

  onResponseStart(_: unknown, status: number, headers: HttpResponse["headers"]): void {
    if (status < 200 || this.#isSettled) return;
    this.#line.phase = "body";
    this.#line.onStep?.({ step: "response", status, ...headersOf(entriesOf(headers)) });
    const { tlsExpiresAt } = this.#line;
    this.#answer = { status, headers, body: nothing, complete: false, bounded: false, tlsExpiresAt };
    const seen = this.#see(this.#answer);
    if (seen === undefined) return;
    this.#settle(seen);
    // What came in the same packet is still being parsed: if that was all, the connection can be used again.
    setImmediate(() => {
      this.#leave(false);
    });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#isSettled || this.#hasLeft) return;
    this.#add(chunk);
    if (this.#received <= this.#maxBytes) return;
    this.#leave(false);
    this.#conclude({ body: this.#body.subarray(0, this.#maxBytes), complete: false });
  }

  onResponseEnd(): void {
    if (this.#hasLeft) return;
    this.#isComplete = true;
    this.#leave(true);
    this.#conclude({ body: this.#body.subarray(0, this.#received), complete: true });
  }

  onResponseError(_: unknown, error: Error): void {
    if (!this.#hasLeft) this.#fail(error);
  }

  /** Appends to the body. It has room for as much again, so that a slow drip of bytes costs no more than a gush. */
  #add(chunk: Buffer): void {
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
  }

  /** No more is read. */
  #conclude(content: Content): void {
    if (this.#isSettled || this.#answer === undefined) return;
    const codings = codingsOf(this.#answer);
    if (codings.length === 0 || content.body.length === 0) {
      this.#judge(this.#answer, content);
      return;
    }
    const head = this.#answer;
    decodeContent(codings, content, this.#maxBytes).then(
      (decoded) => {
        this.#judge(head, decoded);
      },
      (error: unknown) => {
        this.#fail(error);
      },
    );
  }

  #judge(head: HttpResponse, { body, complete }: Content): void {
    if (this.#isSettled) return;
    const seen = this.#see({ ...head, body, complete, bounded: !complete });
    if (seen !== undefined) this.#settle(seen);
    else if (complete) this.#giveUp(new Error("A complete answer was left undecided."));
    else this.#giveUp(new ProbeFailure("too_large"));
  }

  #settle(seen: Seen): void {
    this.#end();
    this.#resolve(seen);
  }

  /** Asks `look`. What it throws is a fault of this program, and no failure of the mirror. */
  #see(answer: HttpResponse): Seen | undefined {
    try {
      return this.#look(answer);
    } catch (error) {
      this.#giveUp(error);
      return undefined;
    }
  }

  /** Whatever undici reports, its failed assertions too, is what came of this exchange. */
  #fail(error: unknown): void {
    if (this.#isSettled) return;
    try {
      this.#giveUp(this.#signal.aborted ? this.#signal.reason : asFailure(error));
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(reason: unknown): void {
    if (this.#isSettled) return;
    this.#end();
    this.#leave(false);
    this.#reject(
      reason instanceof ProbeFailure ? inPhase(reason, phaseOf(reason, this.#line.phase)) : asError(reason),
    );
  }

  #leave(isWhole: boolean): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#line.leave(isWhole);
  }

  #end(): void {
    this.#isSettled = true;
    if (this.#answer !== undefined) {
      this.#line.onStep?.({ step: "body", bytes: this.#received, complete: this.#isComplete });
    }
    this.#signal.removeEventListener("abort", this);
  }
}

/** Returns the phase in which a request failed, by what its connection knows of it. */
function phaseOf({ code, cause }: ProbeFailure, phase: Phase): Phase {
  // undici opens the way through a proxy, and TLS in it, as one step.
  if (phase === "connect" && code === "tls") return "tls";
  const isWriting = cause instanceof Error && "syscall" in cause && cause.syscall === "write";
  return phase === "wait" && isWriting ? "send" : phase;
}

function entriesOf(headers: HttpResponse["headers"]): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
}
