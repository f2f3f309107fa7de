import { pipeline, type Transform } from "node:stream";
import { constants, createInflateRaw, createUnzip } from "node:zlib";
import { ProbeFailure } from "./failure.ts";

/** An HTTP response: at first without its body, later with as much of the body as was read. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Decoded. */
  readonly body: Buffer;
  readonly complete: boolean;
  /** Whether the body is longer than `maxBytes`, so that the rest was not read. */
  readonly bounded: boolean;
  readonly tlsExpiresAt: string | undefined;
}

export interface Body {
  /** True once all of it was read. */
  readonly complete: boolean;
  readonly chunks: () => AsyncGenerator<Buffer, undefined>;
}

function boundedBody(stream: AsyncIterable<Buffer>, maxBytes: number): Body {
  async function* chunks(): AsyncGenerator<Buffer, undefined> {
    let room = maxBytes;
    for await (const chunk of stream) {
      if (room > 0) yield chunk.subarray(0, room);
      room -= chunk.length;
      if (room < 0) return;
    }
    body.complete = true;
  }
  const body = { complete: false, chunks };
  return body;
}

/** The buffer doubles, so that many small chunks cost no more than a few large ones. */
export async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  let buffer = Buffer.alloc(0);
  let received = 0;
  for await (const chunk of chunks) {
    const end = received + chunk.length;
    if (end > buffer.length) {
      const larger = Buffer.allocUnsafe(2 * end);
      buffer.copy(larger, 0, 0, received);
      buffer = larger;
    }
    chunk.copy(buffer, received);
    received = end;
  }
  return buffer.subarray(0, received);
}

/** Turns errors of the stream into failures, but not errors that its reader throws. */
export async function* failingAs(
  chunks: AsyncGenerator<Buffer, undefined>,
  failureOf: (error: unknown) => Error,
): AsyncGenerator<Buffer, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    throw failureOf(error);
  }
}

/** Codings that need no decoder: undici has already decoded `chunked`, and the others change nothing. */
const plain: ReadonlySet<string> = new Set(["", "identity", "none", "chunked"]);

/** Decodes up to `maxBytes` of a body (RFC 9110, 8.4), since some servers compress without being asked. */
export function decodeContent(headers: HttpResponse["headers"], body: Body, maxBytes: number): Body {
  const [coding, ...more] = [headers["content-encoding"] ?? [], headers["transfer-encoding"] ?? []]
    .flat()
    .flatMap((value) => value.toLowerCase().split(","))
    .map((name) => name.trim())
    .filter((name) => !plain.has(name));
  if (coding === undefined) return body;
  const decoded = decodeBy(body.chunks(), (first) => {
    // With two codings, a few bytes can expand to terabytes.
    const decoder = more.length > 0 ? undefined : decoderOf(coding, first);
    if (decoder === undefined) throw new ProbeFailure("not_http");
    return decoder;
  });
  return boundedBody(decoded, maxBytes);
}

/** Sends a stream through the decoder that `decoderFor` returns for its first chunk, if any. */
export async function* decodeBy(
  chunks: AsyncGenerator<Buffer, undefined>,
  decoderFor: (first: Buffer) => Transform | undefined,
): AsyncGenerator<Buffer, undefined> {
  const { value: first } = await chunks.next();
  if (first === undefined) return;
  const decoder = decoderFor(first);
  const all = (async function* () {
    yield first;
    yield* chunks;
  })();
  // The callback can ignore errors of the decoder and of the stream, because the reader of `decoded` gets them.
  const decoded: AsyncIterable<Buffer> =
    decoder === undefined ? all : pipeline(all, decoder, () => undefined);
  yield* decoded;
}

/** Accepts compressed data that ends too early, as curl does. The parser notices the missing end. */
const flate = { finishFlush: constants.Z_SYNC_FLUSH };

function decoderOf(coding: string, body: Buffer): Transform | undefined {
  if (/^(?:x-)?gzip$/.test(coding)) return createUnzip(flate);
  if (coding !== "deflate") return undefined;
  // Some servers leave out the zlib header, whose first byte ends in 8 (RFC 9110, 8.4.1.2; RFC 1950).
  return ((body[0] ?? 0) & 15) === 8 ? createUnzip(flate) : createInflateRaw(flate);
}

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
