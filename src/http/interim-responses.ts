import type { Socket } from "node:net";

/** The first line of an interim answer as far as it matters. 101 is none: it ends HTTP on the connection. */
const interim = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r\n]/;
const statusEnd = 13;
const headEnd = "\r\n\r\n";

/** No server sends more in one; a longer one is left to the parser. */
const maxHeadLength = 16 * 1024;

/**
 * Takes interim answers out of what a connection reads. A server may send `100 Continue` unasked, and a client ignores
 * it (RFC 9110, 15.2.1); undici ends the connection.
 */
export class InterimResponses {
  #isBeforeAnswer = true;
  #held: Buffer | undefined;

  /** Another exchange begins. */
  renew(): void {
    this.#isBeforeAnswer = true;
    this.#held = undefined;
  }

  /** Takes them out of what is read of a new connection. */
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

  /** Returns what is no interim answer, or holds bytes that may still become one. */
  #remove(bytes: Buffer): Buffer | undefined {
    let rest = bytes;
    this.#held = undefined;
    for (;;) {
      const start = rest.toString("latin1", 0, statusEnd);
      // A start that goes on as an interim answer does could be one.
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
