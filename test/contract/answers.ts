import { type IncomingHttpHeaders, request } from "node:http";
import { connect, type Socket } from "node:net";
import { expect } from "vitest";
import { errorCode } from "../../src/errors.ts";
import type { ContractCase } from "../../src/site/verify/cases.ts";
import { errorPath } from "../../src/contract.ts";

/** What a web server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The answer to a request whose target is sent as it is: no dot segments removed, nothing encoded or decoded. */
export function ask(
  url: string,
  path: string,
  { method = "GET", headers = {} }: { method?: string; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const { host, port } = addressOf(url);
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode = 0, headers: answered } = response;
        resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks) });
      });
    });
    asked.on("error", reject).end();
  });
}

/** A connection to send bytes on that no HTTP client would; it may be reset. */
export function open(url: string): Socket {
  const { host, port } = addressOf(url);
  return connect(port, host).on("error", (error) => {
    if (!["ECONNRESET", "EPIPE"].includes(errorCode(error) ?? "")) throw error;
  });
}

/** What comes back for some bytes before the connection ends; nothing, where it was reset meanwhile. */
export async function exchange(url: string, bytes: string): Promise<string> {
  const socket = open(url);
  let answer = "";
  socket.on("data", (chunk: Buffer) => (answer += chunk.toString()));
  socket.write(bytes);
  // Not node's `once`, which rejects at the reset that `open` allows.
  await new Promise((resolve) => socket.once("close", resolve));
  return answer;
}

/** Fails the test where an answer is not what a case of the contract says. `documents` are the files of the site. */
export function expectAnswer(
  { method, expect: expected }: ContractCase,
  { status, headers, body }: Answer,
  documents: ReadonlyMap<string, Buffer>,
): void {
  if (expected.kind === "contained") {
    expect(body.toString("latin1")).not.toMatch(/root:|\[core\]/);
    if (status >= 200 && status < 300) expect([...documents.values()]).toContainEqual(body);
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

function addressOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port) };
}
