import { cut, good, http, rows, smart, smartType, under } from "../../../support/raw-answer.ts";

const ok = "HTTP/1.1 200 OK";
const chunked = "Transfer-Encoding: chunked";
/** Half of an advertisement. */
const half = good.slice(0, good.length / 2);
const length = `Content-Length: ${good.length}`;
/** Half of a body whose length is announced. */
const cutOff = under([ok, smartType, length], half);

function chunk(text: string, extension = ""): string {
  return `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
}

/** A good advertisement, with neither a length nor chunks. */
function open(...headers: readonly string[]): Buffer {
  return under([ok, smartType, ...headers], good);
}

function starting(line: string): Buffer {
  return under([line, smartType], good);
}

function inChunks(...chunks: readonly string[]): Buffer {
  return under([ok, smartType, chunked], chunks.join(""));
}

/** Returns `count` headers with values of `bytes` bytes. */
function padded(count: number, bytes: number): string[] {
  return Array.from({ length: count }, (_, index) => `X-${index}: ${"x".repeat(bytes)}`);
}

const last = "0\r\n\r\n";
const strict =
  "curl accepts what RFC 9112 calls invalid; undici's parser does not, and no known Git server sends it.";
const repeated =
  "RFC 9112 (6.3) lets a client refuse a repeated length, and undici does; no known Git server sends one.";
const lenient = "Like most parsers, undici's skips empty lines before a head; a good answer follows.";
const oneHeader =
  "curl limits each header, undici all headers together; no known server sends one between the two limits.";
const noRefs =
  "Git takes an answer without a media type and without a line feed for a repository without refs.";

/** Cases about the head of an answer, and about how the end of its body is marked. */
export const framingCases = [
  ...rows("ok", {
    "body: until the end of the connection": open(),
    "body: all of it, and the connection stays open": cut("hold", smart()),
    "body: all of it, then a reset": cut("reset", smart()),
    "HTTP/1.0 with a length": under(["HTTP/1.0 200 OK", smartType, length], good),
    "chunks: of single bytes": inChunks(...good.split("").map((letter) => chunk(letter)), last),
    "chunks: with an extension": inChunks(chunk(good, ";a=b"), last),
    "transfer coding: identity": open("Transfer-Encoding: identity"),
    "head: no reason": starting("HTTP/1.1 200"),
    "header: letters beyond ASCII": open("X-Letters: \u00e4\u00f6"),
    "header: of 90,000 bytes": open(...padded(1, 90_000)),
  }),
  ...rows("reset", {
    "body: half of it, then a reset, without a length": cut("reset", under([ok, smartType], half)),
    "body: all of it, then a reset, without a length": cut("reset", open()),
    "chunks: all but the last": inChunks(chunk(good)),
    "body: until a reset in its middle": cut("reset", cutOff),
    "head: nothing": "",
  }),
  ...rows("timeout", {
    "body: half of it, then silence": cut("hold", cutOff),
    "body: all of it, then silence without a length": cut("hold", open()),
  }),
  ...rows("not_http", {
    "chunks: a size that is none": inChunks("size\r\n", good, last),
    "head: no status": starting("HTTP/1.1 OK"),
    "head: an SSH banner": "SSH-2.0-OpenSSH_9.6\r\n",
  }),
  ...rows(
    "not_http",
    {
      "chunks: and a wrong length": under([ok, smartType, chunked, "Content-Length: 7"], chunk(good) + last),
      "head: line feeds alone": Buffer.from(smart().replace(/\r\n/g, "\n"), "latin1"),
    },
    strict,
  ),
  ...rows("reset", { "length: twice the same": http("200 OK", [smartType, length], good) }, repeated),
  ...rows("ok", { "head: empty lines before it": `\r\n\r\n${smart()}` }, lenient),
  ...rows("reset", { "head: half of it": smart().slice(0, 30) }, noRefs),
  ...rows("ok", { "header: of 120,000 bytes": open(...padded(1, 120_000)) }, oneHeader),
  ...rows("too_large", { "header: of 1,000,000 bytes": open(...padded(1, 1_000_000)) }),
];
