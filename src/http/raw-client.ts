import { Client } from "undici";

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

/** Requests from one origin directly, over kept connections. Follows no redirect. */
export class RawClient {
  readonly #origin: string;
  readonly #idle: Client[] = [];
  readonly #open = new Set<Client>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Returns one answer. Rejects with the reason of the signal, or with an error of the connection. */
  async request(request: RawRequest, useKept: boolean): Promise<RawResponse> {
    const client = (useKept ? this.#idle.pop() : undefined) ?? this.#connect();
    let isKept = false;
    try {
      const { method, path, headers, signal, maxBytes } = request;
      const answer = await client.request({ method, path, headers, signal });
      const chunks: Buffer[] = [];
      let received = 0;
      for await (const chunk of answer.body) {
        if (!Buffer.isBuffer(chunk)) throw new TypeError("The body is not a stream of bytes.");
        received += chunk.length;
        chunks.push(chunk);
        if (received > maxBytes) break;
      }
      isKept = received <= maxBytes;
      const known = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, textOf(name, value)]],
      );
      return {
        status: answer.statusCode,
        headers: Object.fromEntries(known),
        body: Buffer.concat(chunks),
        whole: isKept,
      };
    } finally {
      if (isKept) this.#idle.push(client);
      else await this.#end(client);
    }
  }

  /** Ends every connection. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((client) => this.#end(client)));
  }

  #connect(): Client {
    const client = new Client(this.#origin, {
      headersTimeout: 0,
      bodyTimeout: 0,
      // The signal ends it. The default of Node.js, 250 ms for each address, is too short for a distant host.
      connectTimeout: 0,
      autoSelectFamilyAttemptTimeout: 2500,
    });
    this.#open.add(client);
    return client;
  }

  async #end(client: Client): Promise<void> {
    this.#open.delete(client);
    await client.destroy();
  }
}

function textOf(name: string, value: string | readonly string[]): string {
  if (typeof value === "string") return value;
  return single.has(name) ? (value[0] ?? "") : value.join(", ");
}
