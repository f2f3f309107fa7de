import type { Socket } from "node:net";

/** The start of an interim answer. 101 does not count: it ends HTTP on the connection. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/;
const statusEnd = 13;
const headEnd = "\r\n\r\n";

/** The maximum of an interim answer. A longer one goes to the parser. */
const maxHeadLength = 16 * 1024;

/**
 * Removes interim answers from what a connection reads. A server may send `100 Continue` unasked, and a client must ignore
 * it (RFC 9110, 15.2.1). undici ends the connection instead.
 */
export class InterimResponses {
  #isBeforeAnswer = true;
  #held: Buffer | undefined;

  /** Starts another exchange. */
  renew(): void {
    this.#isBeforeAnswer = true;
    this.#held = undefined;
  }

  /** Removes them from what is read of a new connection. */
  removeFrom(socket: Socket): void {
    this.renew();
    const read = socket.read.bind(socket);
    socket.read = (size?: number): unknown => {
      for (;;) {
        const chunk: unknown = read(size);
        if (!this.#isBeforeAnswer || !Buffer.isBuffer(chunk)) return chunk;
        const rest = this.#remove(this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk]));
        if (rest !== undefined) return rest;
      }
    };
  }

  /** Returns the bytes after all interim answers, or undefined while more bytes must show whether one goes on. */
  #remove(bytes: Buffer): Buffer | undefined {
    let rest = bytes;
    this.#held = undefined;
    for (;;) {
      const start = rest.toString("latin1", 0, statusEnd);
      // The bytes are too few to tell, but begin like an interim answer.
      const isCut = start.length < statusEnd && interim.test(start + "HTTP/1.1 100 ".slice(start.length));
      const end = interim.test(start) ? rest.indexOf(headEnd) : -1;
      if (end >= 0) {
        rest = rest.subarray(end + headEnd.length);
      } else if (isCut || (interim.test(start) && rest.length < maxHeadLength)) {
        this.#held = rest;
        return undefined;
      } else {
        this.#isBeforeAnswer = false;
        return rest;
      }
    }
  }
}
