import { Agent as PlainAgent, type IncomingHttpHeaders, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
import { parseUrl } from "../../config/url.ts";
import { errorCode, InputError } from "../../errors.ts";
import { asFailure } from "../../probe/failure.ts";
import type { Code } from "../../probe/observation.ts";
import { quote } from "../../quote.ts";

/** What came for a request: an answer of which `whole` says whether it ended, or none and why. */
export type Reply = Answer | { readonly kind: "none"; readonly code: Code };

export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly whole: boolean;
}

/** A request, whose path stands below that of the deployment and is sent as it is. */
export interface Question {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ClientOptions {
  readonly userAgent: string;
  readonly interrupt: AbortSignal;
  /** How long one answer may take, and how large it may be. */
  readonly requestMs: number;
  readonly mostBytes: number;
}

/** What is kept of an answer that has no end. */
const excerpt = 1024;

/** The deployment that a person named: its url, with a slash at the end. Throws InputError where it is none. */
export function readDeployment(text: string): URL {
  const example = "write it as https://status.example.org/";
  const url = parseUrl(text);
  // What stands before an @ may be a password, also where the rest is no url.
  const shown = quote(text.replace(/^.*@/s, "…@"));
  if (url === undefined) throw new InputError(`${shown} is not a url; ${example}.`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new InputError(`${quote(text)} is neither http nor https; ${example}.`);
  if (url.username !== "" || url.password !== "")
    throw new InputError(
      "The url holds credentials, and the contract has none; remove what is before the @.",
    );
  if (/[?#]/.test(text)) throw new InputError(`${quote(text)} has a query or a fragment; ${example}.`);
  if (/\/v1\/network(?:\/|$)/.test(url.pathname))
    throw new InputError(`${quote(text)} is a document; name the url of the whole site, before /v1/network.`);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/**
 * Asks one deployment over connections that are kept. Node's own client, since it sends a path as it is given; it
 * asks directly, as proxies may rewrite paths, and follows no redirect.
 */
export class Client {
  readonly #site: URL;
  readonly #options: ClientOptions;
  readonly #agent: PlainAgent | SecureAgent;

  constructor(site: URL, options: ClientOptions) {
    this.#site = site;
    this.#options = options;
    this.#agent = site.protocol === "https:" ? new SecureAgent(agentOptions) : new PlainAgent(agentOptions);
  }

  /** One answer, or why there is none. Rejects with the reason of the interrupt, or with a fault of ours. */
  async ask(question: Question): Promise<Reply> {
    const reply = await this.#try(question, this.#agent);
    // A kept connection may be closed by the server just when it is used again (RFC 9112, section 9.3.1).
    return reply.kind === "none" && reply.code === "reset" ? this.#try(question, false) : reply;
  }

  /** Ends every connection. */
  close(): void {
    this.#agent.destroy();
  }

  async #try(question: Question, agent: PlainAgent | SecureAgent | false): Promise<Reply> {
    const { interrupt, requestMs } = this.#options;
    interrupt.throwIfAborted();
    const deadline = AbortSignal.timeout(requestMs);
    try {
      return await this.#exchange(question, agent, AbortSignal.any([interrupt, deadline]));
    } catch (error) {
      interrupt.throwIfAborted();
      return { kind: "none", code: deadline.aborted ? "timeout" : codeOf(error) };
    }
  }

  #exchange(
    { method, path, headers }: Question,
    agent: PlainAgent | SecureAgent | false,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { userAgent, mostBytes } = this.#options;
    const request = this.#site.protocol === "https:" ? secureRequest : plainRequest;
    return new Promise((resolve, reject) => {
      const asked = request(
        {
          ...urlToHttpOptions(this.#site),
          ...agentOptions,
          path: `${this.#site.pathname.slice(0, -1)}${path}`,
          method,
          agent,
          signal,
          headers: { accept: "*/*", "accept-encoding": "identity", "user-agent": userAgent, ...headers },
        },
        (response) => {
          const { statusCode: status = 0, headers: answered } = response;
          const chunks: Buffer[] = [];
          let received = 0;
          const settle = (body: Buffer, whole: boolean): void => {
            resolve({ kind: "answer", status, headers: answered, body, whole });
          };
          response.on("data", (chunk: Buffer) => {
            received += chunk.length;
            chunks.push(chunk);
            if (received <= mostBytes) return;
            // A copy, so that the excerpt does not hold all that came.
            settle(Buffer.from(Buffer.concat(chunks).subarray(0, excerpt)), false);
            response.destroy();
          });
          response.on("error", reject);
          response.on("end", () => {
            settle(Buffer.concat(chunks), true);
          });
        },
      );
      asked.on("error", reject);
      asked.end();
    });
  }
}

const agentOptions = {
  keepAlive: true,
  rejectUnauthorized: true,
  // Node's own 250 ms for each of several addresses is too short for a far host.
  autoSelectFamilyAttemptTimeout: 2500,
} as const;

function codeOf(error: unknown): Code {
  const code = errorCode(error) ?? "";
  if (code === "HPE_HEADER_OVERFLOW") return "too_large";
  return code.startsWith("HPE_") ? "not_http" : asFailure(error).code;
}
