import { headId, mediaType, numberedRefs, objectId, pktLine, servicePackets } from "./advertisement.ts";

/** The parts of an answer, sent one by one, and what happens to the connection afterwards. */
export interface RawAnswer {
  readonly parts: readonly (string | Buffer)[];
  readonly then: "end" | "reset" | "hold";
}

/** The parts of a request that an answer may depend on. */
export interface RawRequest {
  readonly method: string;
  /** Path and query, relative to the case's URL. */
  readonly path: string;
  /** The case's URL: `here` on this server, `elsewhere` on another. */
  readonly here: string;
  readonly elsewhere: string;
}

export type Answering = string | Buffer | RawAnswer | ((request: RawRequest) => string | Buffer | RawAnswer);

/** An answer and the code expected for it. If Git disagrees, `difference` says why. */
export interface Case {
  readonly name: string;
  readonly code: string;
  readonly answer: Answering;
  readonly difference?: string | undefined;
}

/** Returns a case for each answer, by name. All expect the same code. */
export function rows(
  code: string,
  answers: Readonly<Record<string, Answering>>,
  difference?: string,
): readonly Case[] {
  return Object.entries(answers).map(([name, answer]) => ({ name, code, answer, difference }));
}

export const smartType = `Content-Type: ${mediaType}`;
export const capabilities = "ofs-delta symref=HEAD:refs/heads/main object-format=sha1 agent=git/2.39.5";
export const otherId = objectId(1);
export const headLine = `${headId} HEAD\0${capabilities}\n`;
export const mainLine = `${headId} refs/heads/main\n`;
export const head = pktLine(headLine);
export const main = pktLine(mainLine);
export const service = servicePackets();

/** A valid advertisement. */
export const good = `${service}${head}${main}0000`;

/** Returns an advertisement with this many refs. Its length can exceed what a probe reads. */
export function long(count: number): string {
  const [, ...refs] = numberedRefs(count);
  return `${service}${head}${refs.map(({ id, name }) => pktLine(`${id} ${name}\n`)).join("")}0000`;
}

/** Returns an advertisement with one packet for each line. */
export function lines(...texts: readonly string[]): string {
  return smart(`${service}${texts.map(packet).join("")}0000`);
}

/** Returns one pkt-line, with its length in bytes. */
export function packet(text: string | Buffer): string {
  const bytes = Buffer.from(text).toString("latin1");
  return pktLine(bytes);
}

/** Returns an answer with this head, the body, and the body's Content-Length. Strings are latin1. */
export function http(status: string, headers: readonly string[], body: string | Buffer = ""): Buffer {
  const start = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${body.length}`];
  return under(start, body);
}

export function under(head: readonly string[], body: string | Buffer = ""): Buffer {
  const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
  return Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1"), bytes]);
}

/** Returns status 200 with an advertisement's media type. */
export function smart(body: string | Buffer = good, headers: readonly string[] = []): string {
  return http("200 OK", [smartType, ...headers], body).toString("latin1");
}

/** Returns status 200 with plain text, like a server without Git. */
export function plain(body: string, type = "text/plain"): Buffer {
  return http("200 OK", [`Content-Type: ${type}`], body);
}

/** Returns an answer after which the connection is reset or stays open and silent. */
export function cut(then: "reset" | "hold", ...parts: readonly (string | Buffer)[]): RawAnswer {
  return { parts, then };
}
