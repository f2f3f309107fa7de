import { Client } from "undici";
import { readAtMost } from "./response.ts";

export interface RawRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
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

/**
 * Requests from one origin over kept connections. Follows no redirect. Opens no more connections than there are
 * requests at once, which a Pool of undici does after a request that has only just ended.
 */
export class RawClient {
  readonly #origin: string;
  readonly #idle: Client[] = [];
  readonly #open = new Set<Client>();

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Returns one answer. Rejects with the reason of the signal, or with an error of the connection. */
  async request(request: RawRequest, useKept: boolean): Promise<RawResponse> {
    const client = (useKept ? this.#idle.pop() : undefined) ?? new Client(this.#origin, patient);
    this.#open.add(client);
    let isReusable = false;
    try {
      const response = await read(client, request);
      isReusable = response.whole;
      return response;
    } finally {
      if (isReusable) this.#idle.push(client);
      else await this.#end(client);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((client) => this.#end(client)));
  }

  async #end(client: Client): Promise<void> {
    this.#open.delete(client);
    await client.destroy();
  }
}

async function read(client: Client, request: RawRequest): Promise<RawResponse> {
  const { method, path, headers, signal, maxBytes } = request;
  const answer = await client.request({ method, path, headers, signal });
  const { body, complete } = await readAtMost(answer.body, maxBytes);
  const known = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, textOf(name, value)]],
  );
  return {
    status: answer.statusCode,
    headers: Object.fromEntries(known),
    body,
    whole: complete,
  };
}

function textOf(name: string, value: string | readonly string[]): string {
  if (typeof value === "string") return value;
  return single.has(name) ? (value[0] ?? "") : value.join(", ");
}
