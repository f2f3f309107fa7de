/** undici creates two objects for each line outside the body, and copies buffers if values are empty. */
const maxHeadLines = 1000;
const maxTrailerLines = 16;
/** By how many bytes the chunk sizes and trailers of a response may be larger than its body. */
const maxFramingBytes = 16 * 1024;

const newline = 0x0a;

/**
 * Follows one response, byte for byte, to limit what surrounds its body: headers, interim responses, chunk sizes and
 * trailers (RFC 9112, 7.1). undici limits only the bytes of each, and tells nothing before it has parsed all of them.
 */
export class ResponseLines {
  #part: "head" | "chunk size" | "trailers" | "rest" = "head";
  /** The start of a line whose end has not arrived. */
  #line = "";
  /** How many lines this head, or the trailers, have so far. */
  #count = 0;
  #isInterim = false;
  #isChunked = false;
  /** How much of a chunk has not arrived. */
  #chunkBytes = 0;
  #framingBytes = 0;

  get isOver(): boolean {
    return this.#part === "rest";
  }

  /** Takes the next bytes. Returns what the response has too much of, if anything, and a code for it. */
  read(bytes: Buffer): readonly [what: string, code: string] | undefined {
    for (let at = 0; at < bytes.length && !this.isOver;) {
      const skipped = Math.min(this.#chunkBytes, bytes.length - at);
      this.#chunkBytes -= skipped;
      at += skipped;
      const found = bytes.indexOf(newline, at);
      const end = found < 0 ? bytes.length : found + 1;
      if (this.#part !== "head") this.#framingBytes += end - at;
      this.#line += bytes.toString("latin1", at, end);
      at = end;
      if (found >= 0) this.#endLine();
      if (this.#framingBytes > maxFramingBytes)
        return [`${maxFramingBytes} bytes in addition to the body`, "FRAMING_BYTES"];
      const maxLines = this.#part === "trailers" ? maxTrailerLines : maxHeadLines;
      if (this.#count > maxLines) return [`${maxLines} header or trailer lines`, "HEAD_LINES"];
    }
    return undefined;
  }

  #endLine(): void {
    const line = this.#line;
    this.#line = "";
    if (this.#part === "chunk size") this.#beginChunk(parseInt(line, 16));
    else if (!/^\r?\n$/.test(line)) this.#countLine(line);
    // Empty lines may come before a head.
    else if (this.#part === "trailers" || this.#count > 0) this.#endPart();
  }

  #beginChunk(size: number): void {
    // A size that is not a number makes undici's parser fail.
    if (Number.isNaN(size)) this.#part = "rest";
    else if (size === 0) this.#part = "trailers";
    // A chunk ends with an additional CRLF.
    else this.#chunkBytes = size + 2;
    this.#framingBytes += 2 - size;
  }

  #countLine(line: string): void {
    if (this.#count === 0) this.#isInterim = /^HTTP\/\d\.\d 1/.test(line);
    this.#count += 1;
    // A line that begins with a blank continues the value of the header before it.
    this.#isChunked ||= /^(?:transfer-encoding:|[ \t]).*chunked\s*$/i.test(line);
  }

  #endPart(): void {
    if (this.#part === "trailers" || (!this.#isInterim && !this.#isChunked)) this.#part = "rest";
    else if (!this.#isInterim) this.#part = "chunk size";
    this.#count = 0;
    this.#isChunked = false;
  }
}
