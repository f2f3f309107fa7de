import { expect, test } from "vitest";
import { ResponseLines } from "../../../../src/core/base/http/response-lines.ts";

const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n";
const body = `4;a=b\r\na\nb\n\r\n00\r\n`;
const trailers = (count: number): string => "t: x\r\n".repeat(count);

test.each([
  ["few trailers", `${head}${body}${trailers(16)}\r\n`, undefined],
  ["too many trailers", `${head}${body}${trailers(17)}`, "HEAD_LINES"],
  [
    "too many trailers after an interim answer",
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${head}${body}${trailers(17)}`,
    "HEAD_LINES",
  ],
  [
    "too many trailers if the coding is on a line of its own",
    `HTTP/1.1 200 OK\r\nTransfer-Encoding:\r\n chunked\r\n\r\n${body}${trailers(17)}`,
    "HEAD_LINES",
  ],
  ["a body that looks like trailers", `HTTP/1.1 200 OK\r\nx: y\r\n\r\n0\r\n${trailers(5000)}`, undefined],
  [
    "a body of many lines without a header",
    `HTTP/1.1 200 OK\r\n\r\nIt works.${"\n".repeat(5000)}`,
    undefined,
  ],
  ["long chunks with many lines", `${head}${(10_000).toString(16)}\r\n${"\n".repeat(10_000)}\r\n`, undefined],
  ["tiny chunks", `${head}${"1\r\na\r\n".repeat(5000)}`, "FRAMING_BYTES"],
  ["a long chunk extension", `${head}1;${"a".repeat(17_000)}`, "FRAMING_BYTES"],
  ["too many headers", `\r\n\r\nHTTP/1.1 200 OK\r\n${"a:\r\n".repeat(1000)}`, "HEAD_LINES"],
])("%s", (_, text, code) => {
  for (const size of [1, 7, text.length]) {
    const lines = new ResponseLines();
    const found: unknown[] = [];
    for (let at = 0; at < text.length; at += size)
      found.push(lines.read(Buffer.from(text.slice(at, at + size)))?.[1]);
    expect(found.find((one) => one !== undefined)).toBe(code);
  }
});
