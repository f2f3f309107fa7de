/** The next packet in a stream of pkt-lines: the text of a line, or what else it is. */
export type Packet = { readonly line: string } | "flush" | "delimiter" | "response-end" | "cut" | "invalid";

/** gitprotocol-common says 65520, but Git accepts this. */
const maxPacketLength = 65_523;

const lineFeed = 0x0a;

const special: readonly (Packet | undefined)[] = ["flush", "delimiter", "response-end", "invalid"];

/**
 * Reads pkt-lines as Git does (gitprotocol-common, "pkt-line Format"): four hexadecimal digits are the length of the packet,
 * with themselves.
 */
export class PacketReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  /** Whether every byte was read. */
  get isAtEnd(): boolean {
    return this.#at === this.#body.length;
  }

  /** Reads the next packet. Returns "cut" if the bytes end before it does, and stays there. */
  next(): Packet {
    const start = this.#at;
    const digits = this.#body.toString("latin1", start, start + 4);
    if (!/^[0-9a-fA-F]*$/.test(digits)) return "invalid";
    if (digits.length < 4) return "cut";
    const length = Number.parseInt(digits, 16);
    if (length > maxPacketLength) return "invalid";
    const end = start + Math.max(4, length);
    if (end > this.#body.length) return "cut";
    this.#at = end;
    const lineEnd = this.#body[end - 1] === lineFeed ? end - 1 : end;
    return special[length] ?? { line: this.#body.toString("utf8", start + 4, lineEnd) };
  }
}
