import type { Socket } from "node:net";
import { ProbeFailure } from "./failure.ts";

/**
 * How much an exchange may read beside the `maxBytes` of its body, in bytes: heads (curl and Git take 300 KB), interim
 * answers, chunk sizes, and what TLS adds.
 */
export const headRoomBytes = 512 * 1024;

/**
 * Limits what a connection reads, before any parser. No parser limits interim answers, reason phrases, chunk extensions
 * and blanks. Over TLS it counts the encrypted bytes, since most of a record may be padding.
 */
export class ByteLimit {
  #bytes = headRoomBytes;
  #wire: Socket | undefined;
  #end = 0;

  /** Counts the bytes of a new connection from now on. */
  countOn(wire: Socket): void {
    this.#wire = wire;
    this.#renew();
  }

  /** Starts the count of an exchange, whose body may have `maxBytes`. */
  renewFor(maxBytes: number): void {
    this.#bytes = maxBytes + headRoomBytes;
    this.#renew();
  }

  #renew(): void {
    this.#end = (this.#wire?.bytesRead ?? 0) + this.#bytes;
  }

  /** Destroys `socket`, which is the wire or TLS over it, as soon as the wire has read too much. */
  enforce(socket: Socket): void {
    socket.on("readable", () => {
      if (this.#wire === undefined || this.#wire.bytesRead <= this.#end) return;
      const cause = Object.assign(new Error(`More than ${this.#bytes} bytes came on the connection.`), {
        code: "SOCKET_BYTES",
      });
      socket.destroy(new ProbeFailure("too_large", { cause }));
    });
  }
}
