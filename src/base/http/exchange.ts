import { asError } from "../errors.ts";
import { codingsOf, type Content, decodeContent } from "./content-encoding.ts";
import type { Phase } from "./codes.ts";
import { asFailure, inPhase, ProbeFailure } from "./failure.ts";
import type { HttpResponse } from "./response.ts";
import { headersOf, type OnStep } from "./trace.ts";

/** Parses an answer. Called with its head, and if that returns undefined, with all of it that is read. */
export type ResponseParser<Parsed> = (answer: HttpResponse) => Parsed | undefined;

/** What an exchange knows of its connection, and how it gives it back. */
export interface ConnectionHandle {
  /** How far the current or the last request came. */
  phase: Phase;
  readonly onStep?: OnStep | undefined;
  /** When the certificate of the server expires; undefined without TLS. */
  tlsExpiresAt: string | undefined;
  /** Gives the connection back. It can be used again if the answer was read whole. */
  readonly release: (isWhole: boolean) => void;
}

const nothing = Buffer.alloc(0);

/**
 * Reads the answer to one request, as a handler of undici's dispatch: until it is parsed, `maxBytes` are read or the signal
 * is aborted. A class without closures, since each request needs one.
 */
export class Exchange<Parsed> {
  readonly parsed: Promise<Parsed>;
  readonly #parser: ResponseParser<Parsed>;
  readonly #maxBytes: number;
  readonly #signal: AbortSignal;
  readonly #connection: ConnectionHandle;
  #resolve!: (parsed: Parsed) => void;
  #reject!: (reason: Error) => void;
  #answer: HttpResponse | undefined;
  /** The body, in the first `#received` bytes. */
  #body: Buffer = nothing;
  #received = 0;
  #isComplete = false;
  #isSettled = false;
  #isReleased = false;

  constructor(
    parser: ResponseParser<Parsed>,
    maxBytes: number,
    signal: AbortSignal,
    connection: ConnectionHandle,
  ) {
    this.#parser = parser;
    this.#maxBytes = maxBytes;
    this.#signal = signal;
    this.#connection = connection;
    this.parsed = new Promise((resolve, reject) => {
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
    this.#connection.phase = "wait";
    if (this.#isSettled) controller.abort(new ProbeFailure("timeout"));
  }

  onResponseStart(_: unknown, status: number, headers: HttpResponse["headers"]): void {
    if (status < 200 || this.#isSettled) return;
    this.#connection.phase = "body";
    this.#connection.onStep?.({ step: "response", status, ...headersOf(entriesOf(headers)) });
    const { tlsExpiresAt } = this.#connection;
    this.#answer = { status, headers, body: nothing, complete: false, bounded: false, tlsExpiresAt };
    if (!this.#parse(this.#answer)) return;
    // undici still reads the rest of the packet. If that ends the answer, the connection can be used again.
    setImmediate(() => {
      this.#release(false);
    });
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.#isSettled || this.#isReleased) return;
    this.#add(chunk);
    if (this.#received <= this.#maxBytes) return;
    this.#release(false);
    this.#finish({ body: this.#body.subarray(0, this.#maxBytes), complete: false });
  }

  onResponseEnd(): void {
    if (this.#isReleased) return;
    this.#isComplete = true;
    this.#release(true);
    this.#finish({ body: this.#body.subarray(0, this.#received), complete: true });
  }

  onResponseError(_: unknown, error: Error): void {
    if (!this.#isReleased) this.#fail(error);
  }

  /** Appends to the body. Its room doubles, so that many small chunks cost no more than a few large ones. */
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

  /** Ends the reading, and parses what was read. */
  #finish(content: Content): void {
    if (this.#isSettled || this.#answer === undefined) return;
    const codings = codingsOf(this.#answer);
    if (codings.length === 0 || content.body.length === 0) {
      this.#parseBody(this.#answer, content);
      return;
    }
    const head = this.#answer;
    decodeContent(codings, content, this.#maxBytes).then(
      (decoded) => {
        this.#parseBody(head, decoded);
      },
      (error: unknown) => {
        this.#fail(error);
      },
    );
  }

  #parseBody(head: HttpResponse, { body, complete }: Content): void {
    if (this.#isSettled) return;
    if (this.#parse({ ...head, body, complete, bounded: !complete })) return;
    this.#rejectWith(
      complete ? new Error("A complete answer was left undecided.") : new ProbeFailure("too_large"),
    );
  }

  /** Returns whether the parser decided. What it throws is an error of mirrorfeed, not a failure of the mirror. */
  #parse(answer: HttpResponse): boolean {
    try {
      const parsed = this.#parser(answer);
      if (parsed === undefined) return false;
      this.#end();
      this.#resolve(parsed);
    } catch (error) {
      this.#rejectWith(error);
    }
    return true;
  }

  /** Rejects with what undici reports. Its failed assertions count too. */
  #fail(error: unknown): void {
    this.#rejectWith(this.#signal.aborted ? this.#abortReason() : asFailure(error));
  }

  /** At the deadline a probe may still wait for name servers, whatever their resolver would have said next. */
  #abortReason(): unknown {
    const reason: unknown = this.#signal.reason;
    const waitsForDns = reason instanceof ProbeFailure && this.#connection.phase === "resolve";
    return waitsForDns ? new ProbeFailure("dns") : reason;
  }

  #rejectWith(reason: unknown): void {
    if (this.#isSettled) return;
    this.#end();
    this.#release(false);
    this.#reject(
      reason instanceof ProbeFailure
        ? inPhase(reason, phaseOf(reason, this.#connection.phase))
        : asError(reason),
    );
  }

  #release(isWhole: boolean): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#connection.release(isWhole);
  }

  #end(): void {
    this.#isSettled = true;
    if (this.#answer !== undefined) {
      this.#connection.onStep?.({ step: "body", bytes: this.#received, complete: this.#isComplete });
    }
    this.#signal.removeEventListener("abort", this);
  }
}

/** Returns the phase in which a request failed. `phase` is that of its connection. */
function phaseOf({ code, cause }: ProbeFailure, phase: Phase): Phase {
  // undici opens the tunnel through a proxy, and TLS in it, in one step.
  if (phase === "connect" && code === "tls") return "tls";
  const isWriting = cause instanceof Error && "syscall" in cause && cause.syscall === "write";
  return phase === "wait" && isWriting ? "send" : phase;
}

function entriesOf(headers: HttpResponse["headers"]): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
}
