import { Client, Pool } from "undici";

/** A request whose target is sent as it is. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** How many bytes of the body are read. */
  readonly maxBytes: number;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Whether the body ended. */
  readonly whole: boolean;
}

/** Headers of which only the first one counts, as in Node.js and browsers. The values of others are joined (RFC 9110, 5.3). */
const single = new Set(["content-type", "etag", "last-modified", "location", "retry-after"]);

/** The signal ends a request. The default of Node.js for an address, 250 ms, is too short for a distant host. */
const patient = {
  headersTimeout: 0,
  bodyTimeout: 0,
  connectTimeout: 0,
  autoSelectFamily: true,
  autoSelectFamilyAttemptTimeout: 2500,
};

/** Requests from one origin directly, over kept connections. Follows no redirect. */
export class RawClient {
  readonly #origin: string;
  readonly #kept: Pool;

  constructor(origin: string) {
    this.#origin = origin;
    this.#kept = new Pool(origin, patient);
  }

  /** Returns one answer. Rejects with the reason of the signal, or with an error of the connection. */
  async request(request: RawRequest, useKept: boolean): Promise<RawResponse> {
    if (useKept) return read(this.#kept, request);
    const fresh = new Client(this.#origin, patient);
    try {
      return await read(fresh, request);
    } finally {
      await fresh.destroy();
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    await this.#kept.destroy();
  }
}

async function read(dispatcher: Client | Pool, request: RawRequest): Promise<RawResponse> {
  const { method, path, headers, signal, maxBytes } = request;
  const answer = await dispatcher.request({ method, path, headers, signal });
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of answer.body) {
    if (!Buffer.isBuffer(chunk)) throw new TypeError("The body is not a stream of bytes.");
    received += chunk.length;
    chunks.push(chunk);
    if (received > maxBytes) break;
  }
  const known = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, textOf(name, value)]],
  );
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(known),
    body: Buffer.concat(chunks),
    whole: received <= maxBytes,
  };
}

function textOf(name: string, value: string | readonly string[]): string {
  if (typeof value === "string") return value;
  return single.has(name) ? (value[0] ?? "") : value.join(", ");
}
