import type { Socket } from "node:net";
import { ProbeFailure } from "./failure.ts";

/**
 * How much an exchange may read beside the `maxBytes` of its body, in bytes: the heads (curl, and with it git, takes
 * 300 KB), interim answers, chunk sizes, and what TLS adds.
 */
export const headRoomBytes = 512 * 1024;

/**
 * Counts what a connection reads before any parser does, because no parser counts all of it: interim answers, reason
 * phrases, chunk extensions and blanks have no end of their own. Over TLS the bytes are those on the wire, encrypted,
 * since a record may be padding for the most part.
 */
export class ByteLimit {
  readonly #bytes: number;
  #wire: Socket | undefined;
  #end = 0;

  constructor(maxBytes: number) {
    this.#bytes = maxBytes + headRoomBytes;
  }

  /** Counts on the wire of a new connection, from now on. */
  countOn(wire: Socket): void {
    this.#wire = wire;
    this.renew();
  }

  /** Another exchange begins. */
  renew(): void {
    this.#end = (this.#wire?.bytesRead ?? 0) + this.#bytes;
  }

  /** Destroys `socket`, the wire or what is secured upon it, as soon as the wire has read too much. */
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
