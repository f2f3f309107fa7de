import { cut, good, http, rows, smart, smartType, under } from "../../support/raw-answer.ts";

const ok = "HTTP/1.1 200 OK";
const chunked = "Transfer-Encoding: chunked";
const half = Math.floor(good.length / 2);

/** A chunk of a body. */
function chunk(text: string, extension = ""): string {
  return `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
}

/** A good advertisement under a head that says neither its length nor that it has chunks. */
function open(...headers: readonly string[]): Buffer {
  return under([ok, smartType, ...headers], good);
}

function inChunks(...chunks: readonly string[]): Buffer {
  return under([ok, smartType, chunked], chunks.join(""));
}

/** So many headers of so many bytes each. */
function padded(count: number, bytes: number): string[] {
  return Array.from({ length: count }, (_, index) => `X-${index}: ${"x".repeat(bytes)}`);
}

const last = "0\r\n\r\n";
const strict =
  "Curl forgives what RFC 9112 calls invalid; undici's parser does not, and no server of git is known to send it.";
const repeated =
  "RFC 9112 (6.3) lets a client refuse a length that is repeated, and undici does; no server of git is known to send it.";
const lenient =
  "Undici's parser, as most, passes over empty lines before a head; what follows is a good answer.";
const oneHeader =
  "Curl bounds each header, undici all of them together; no server is known to send one between the two.";
const noRefs =
  "Git takes an answer without a media type and without a line feed for a repository without refs.";

/** The head of an answer, and how it marks the end of its body. */
export const framingCases = rows(
  ["body: until the end of the connection", "ok", open()],
  ["body: until the end of the connection, as it says", "ok", open("Connection: close")],
  ["body: until the end, cut off", "not_git", under([ok, smartType], good.slice(0, half))],
  [
    "body: until a reset in its middle",
    "reset",
    cut("reset", under([ok, smartType, `Content-Length: ${good.length}`], good.slice(0, half))),
  ],
  [
    "body: until a reset, without a length",
    "not_git",
    cut("reset", under([ok, smartType], good.slice(0, half))),
  ],
  [
    "body: half of it, then silence",
    "timeout",
    cut("hold", under([ok, smartType, `Content-Length: ${good.length}`], good.slice(0, half))),
  ],
  ["body: all of it, then silence without a length", "timeout", cut("hold", open())],
  ["body: in two parts", "ok", { parts: [smart().slice(0, -40), smart().slice(-40)], then: "end" }],
  ["body: all of it, and the connection stays open", "ok", cut("hold", smart())],
  ["body: all of it, then a reset", "ok", cut("reset", smart())],
  [
    "HTTP/1.0 with a length",
    "ok",
    under(["HTTP/1.0 200 OK", smartType, `Content-Length: ${good.length}`], good),
  ],
  ["HTTP/1.0 without a length", "ok", under(["HTTP/1.0 200 OK", smartType], good)],

  ["chunks: one", "ok", inChunks(chunk(good), last)],
  ["chunks: of single bytes", "ok", inChunks(...good.split("").map((letter) => chunk(letter)), last)],
  ["chunks: with an extension", "ok", inChunks(chunk(good, ";a=b"), last)],
  ["chunks: with a trailer", "ok", inChunks(chunk(good), "0\r\nX-Sum: 1\r\n\r\n")],
  [
    "chunks: upper-case size",
    "ok",
    inChunks(
      chunk(good).replace(/^\w+/, (size) => size.toUpperCase()),
      last,
    ),
  ],
  ["chunks: zeros before the size", "ok", inChunks(`000${chunk(good)}`, last)],
  ["chunks: without the last one", "reset", inChunks(chunk(good))],
  ["chunks: cut off", "reset", inChunks(chunk(good).slice(0, half))],
  ["chunks: a size that is none", "not_http", inChunks("size\r\n", good, last)],
  ["chunks: a size below nothing", "not_http", inChunks(`-1\r\n${good}\r\n`, last)],
  ["chunks: without a line end after one", "not_http", inChunks(chunk(good).slice(0, -2), last)],
  [
    "chunks: and a length that contradicts",
    "not_http",
    under([ok, smartType, chunked, "Content-Length: 7"], chunk(good) + last),
    strict,
  ],
  [
    "chunks: of a coding in upper case",
    "ok",
    under([ok, smartType, "Transfer-Encoding: CHUNKED"], chunk(good) + last),
  ],
  ["transfer coding: identity", "ok", open("Transfer-Encoding: identity")],
  ["transfer coding: not known", "not_http", open("Transfer-Encoding: secret")],

  [
    "length: twice the same",
    "reset",
    http("200 OK", [smartType, `Content-Length: ${good.length}`], good),
    repeated,
  ],
  ["length: two that differ", "reset", http("200 OK", [smartType, "Content-Length: 7"], good), strict],
  ["length: a list", "reset", open(`Content-Length: ${good.length}, ${good.length}`), repeated],
  ["length: below nothing", "not_http", open("Content-Length: -1")],
  ["length: no number", "not_http", open("Content-Length: many")],
  ["length: empty", "not_http", open("Content-Length:")],
  ["length: of forty digits", "reset", open(`Content-Length: ${"9".repeat(40)}`), strict],
  ["length: with a plus", "not_http", open(`Content-Length: +${good.length}`), strict],
  ["length: with zeros before it", "ok", open(`Content-Length: 000${good.length}`)],

  ["head: line feeds alone", "not_http", Buffer.from(smart().replace(/\r\n/g, "\n"), "latin1"), strict],
  ["head: no reason", "ok", under(["HTTP/1.1 200", smartType], good)],
  ["head: an empty reason", "ok", under(["HTTP/1.1 200 ", smartType], good)],
  ["head: a long reason", "ok", under([`HTTP/1.1 200 ${"x".repeat(2000)}`, smartType], good)],
  ["head: a status of two digits", "not_http", under(["HTTP/1.1 20 OK", smartType], good)],
  ["head: a status of four digits", "not_http", under(["HTTP/1.1 2000 OK", smartType], good)],
  ["head: no status", "not_http", under(["HTTP/1.1 OK", smartType], good)],
  ["head: lower-case HTTP", "not_http", under(["http/1.1 200 OK", smartType], good), strict],
  ["head: HTTP/1.2", "not_http", under(["HTTP/1.2 200 OK", smartType], good)],
  ["head: HTTP/2 in words", "not_http", under(["HTTP/2 200", smartType], good), strict],
  ["head: HTTP/9.9", "not_http", under(["HTTP/9.9 200 OK", smartType], good)],
  ["head: of another protocol", "not_http", under(["ICY 200 OK", smartType], good)],
  ["head: none", "not_http", Buffer.from(good, "latin1")],
  ["head: an SSH banner", "not_http", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["head: empty lines before it", "ok", `\r\n\r\n${smart()}`, lenient],
  ["head: nothing", "reset", ""],
  ["head: half of it", "reset", smart().slice(0, 30), noRefs],
  ["head: half of it, then silence", "timeout", cut("hold", smart().slice(0, 30))],
  ["head: half of it, then a reset", "reset", cut("reset", smart().slice(0, 30))],
  ["header: without a colon", "not_http", open("nonsense")],
  ["header: without a name", "not_http", open(": nothing"), strict],
  ["header: a blank in its name", "not_http", open("X Y: z"), strict],
  ["header: a blank before the colon", "not_http", open("X-Y : z"), strict],
  ["header: a NUL in its value", "not_http", open("X-Nul: a\0b")],
  ["header: a bare carriage return", "not_http", open("X-Cr: a\rb"), strict],
  ["header: letters beyond ASCII", "ok", open("X-Letters: \u00e4\u00f6")],
  ["header: of 90,000 bytes", "ok", open(...padded(1, 90_000))],
  ["header: of 120,000 bytes", "ok", open(...padded(1, 120_000)), oneHeader],
  ["header: of 1,000,000 bytes", "too_large", open(...padded(1, 1_000_000))],
  ["headers: 100 of 1,000 bytes", "ok", open(...padded(100, 1000))],
  ["headers: 28 of 10,000 bytes", "ok", open(...padded(28, 10_000))],
  ["headers: 50 of 10,000 bytes", "too_large", open(...padded(50, 10_000))],
  ["headers: 1,000 short ones", "ok", open(...padded(1000, 10))],
  ["header: a cookie", "ok", smart(good, ["Set-Cookie: a=b; Secure", "Set-Cookie: c=d"])],
  ["header: an upgrade without a request for it", "ok", smart(good, ["Connection: upgrade", "Upgrade: h2c"])],
  ["header: a refresh", "ok", smart(good, ["Refresh: 0; url=/login"])],
  ["header: a location without a redirect", "ok", smart(good, ["Location: /elsewhere"])],
);
