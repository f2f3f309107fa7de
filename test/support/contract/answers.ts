import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { errorCode } from "../../../src/core/base/errors.ts";
import type { ContractCase } from "./cases.ts";
import { errorDocuments, errorPath } from "../../../src/core/contract/contract.ts";
import { type PageCase, pageFiles } from "./pages.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Reuses connections. Opening a new one for each of thousands of requests would take a third of the tests' time. */
const agent = new Agent({ keepAlive: true });

/** Sends the request target as it is, without normalizing or encoding it. */
export function ask(
  url: string,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { path, method, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks) });
      });
    });
    asked.on("error", (error) => {
      // The server closed the connection while it was idle.
      if (asked.reusedSocket && errorCode(error) === "ECONNRESET")
        resolve(ask(url, path, { method, headers }));
      else reject(error);
    });
    asked.end();
  });
}

/** Opens a connection for raw bytes. The server may reset it. */
export function open(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname.replace(/^\[|\]$/g, "")).on("error", (error) => {
    if (!["ECONNRESET", "EPIPE"].includes(errorCode(error) ?? "")) throw error;
  });
}

/** Sends bytes and returns what comes back until the connection closes or is reset. */
export async function exchange(url: string, bytes: string): Promise<string> {
  const socket = open(url);
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(bytes);
  // Node's `once` would reject on a reset.
  await new Promise((resolve) => socket.once("close", resolve));
  return answer;
}

/** `documents` has the site's files by path. */
export function expectAnswer(
  { method, expect: expected }: ContractCase,
  { status, headers, body }: Answer,
  documents: ReadonlyMap<string, Buffer>,
): void {
  if (expected.kind === "contained") {
    expect(body.toString("latin1")).not.toMatch(/root:|\[core\]/);
    // Vitest's matchers take seconds for thousands of buffers.
    const isOfSite = (): boolean => [...documents.values()].some((document) => document.equals(body));
    if (status >= 200 && status < 300 && !isOfSite())
      throw new Error(`The answer is not a file of the site: ${body.toString("latin1")}`);
    return;
  }
  const path = expected.kind === "document" ? expected.path : errorPath(expected.name);
  const bytes = documents.get(path);
  if (bytes === undefined) throw new Error(`The site has no ${path}.`);
  expect({ status, location: headers.location, body: body.toString() }).toEqual({
    status: expected.status,
    location: undefined,
    body: method === "HEAD" ? "" : bytes.toString(),
  });
  expect(body.equals(method === "HEAD" ? Buffer.alloc(0) : bytes)).toBe(true);
  expect(headers["content-type"]).toMatch(/^application\/json(?:; ?charset=utf-8)?$/i);
  expect(headers["access-control-allow-origin"]).toBe("*");
  if (status === 405) expect(headers.allow?.split(/, ?/).toSorted()).toEqual(["GET", "HEAD"]);
}

/** `url` is the URL of the server, and `path` is the request target. */
export function expectPage(
  { method, expect: expected }: PageCase,
  answer: Answer,
  url: string,
  path: string,
): void {
  const { status, headers, body } = answer;
  const target = headers.location === undefined ? undefined : new URL(headers.location, `${url}${path}`);
  if (target !== undefined) expect(target.host).toBe(new URL(url).host);
  expect(headers["x-injected"]).toBeUndefined();
  if (expected.kind === "redirect") {
    expect([status, headers.location]).toEqual([301, expected.location]);
    if (method === "HEAD") expect(body).toHaveLength(0);
  } else if (expected.kind === "file") {
    const content = pageFiles.find((file) => file.path === expected.path)?.content;
    expect([status, headers.location, body.toString()]).toEqual([200, undefined, content]);
  } else if (expected.kind === "not-found") {
    expect([status, headers.location]).toEqual([errorDocuments["not-found"].code, undefined]);
  }
}
