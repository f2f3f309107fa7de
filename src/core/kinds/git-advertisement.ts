type Packet = { readonly line: string } | "flush" | "delimiter" | "response-end" | "cut" | "invalid";

/** gitprotocol-common says 65520, but Git accepts up to this length. */
const maxPacketLength = 65_523;

const lineFeed = 0x0a;

const special: readonly (Packet | undefined)[] = ["flush", "delimiter", "response-end", "invalid"];

/** Reads pkt-lines as Git does (gitprotocol-common). Their four hexadecimal digits of length count themselves. */
export class PacketReader {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#body.length;
  }

  /** Reads the next packet. Returns "cut", without advancing, if the packet is incomplete. */
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

/** A ref that a server announces. The name of an annotated tag's second entry, for its object, ends in `^{}`. */
export interface AdvertisedRef {
  /** 40 or 64 lower-case hexadecimal digits. */
  readonly id: string;
  readonly name: string;
}

export interface Advertisement {
  /** In the server's order. Empty for version 2, which lists refs only on a second request. */
  readonly refs: readonly AdvertisedRef[];
  /** In versions 0 and 1, they follow the first ref and a NUL. In version 2, each has its own line. */
  readonly capabilities: readonly string[];
  /** The protocol version. Undefined for a dumb server, which doesn't run Git. */
  readonly version?: 0 | 1 | 2;
  readonly complete: boolean;
  /** Set if the repository says that it has only a part of its history. */
  readonly isShallow?: boolean;
}

/** "cut" if the bytes end too early to tell, "invalid" if Git would give up. */
type Parsed = Advertisement | "cut" | "invalid";

const zeroId = /^0+$/;

/** Like Git (connect.c), ignores the lines between the service line and the first flush packet. */
export function parseAdvertisement(body: Buffer, service: string): Parsed {
  const packets = new PacketReader(body);
  let packet = packets.next();
  if (lineOf(packet) === `# service=${service}`) {
    do packet = packets.next();
    while ((lineOf(packet) ?? "") !== "" && !isError(packet));
    if (packet === "cut" || packet === "invalid" || isError(packet)) return unfinished(packet);
    packet = packets.next();
  } else if (lineOf(packet) !== "version 2") {
    return unfinished(packet);
  }
  if (lineOf(packet) === "version 2") return parseCapabilities(packets);
  if (lineOf(packet) !== "version 1") return parseRefs(packet, packets, 0);
  return parseRefs(packets.next(), packets, 1);
}

/** Parses version 2 (gitprotocol-v2, "Capability Advertisement"). Git requires `ls-refs`. */
function parseCapabilities(packets: PacketReader): Parsed {
  const capabilities: string[] = [];
  for (;;) {
    const packet = packets.next();
    if (packet === "cut") return { refs: [], capabilities, version: 2, complete: false };
    if (packet === "flush") break;
    const line = lineOf(packet);
    if (line === undefined || isError(packet)) return "invalid";
    capabilities.push(line);
  }
  const hasRefs = capabilities.some((capability) => /^ls-refs(?:=|$)/.test(capability));
  const format = capabilities.find((capability) => capability.startsWith("object-format="));
  const isKnown = format === undefined || /=sha(?:1|256)$/.test(format);
  // Git would read any further bytes as the answer to its next request.
  if (!hasRefs || !isKnown || !packets.isAtEnd) return "invalid";
  return { refs: [], capabilities, version: 2, complete: true };
}

/** Parses versions 0 and 1 (gitprotocol-pack, "Reference Discovery"). */
function parseRefs(first: Packet, packets: PacketReader, version: 0 | 1): Parsed {
  const refs: AdvertisedRef[] = [];
  const [, capabilities = ""] = typeof first === "object" ? first.line.split("\0") : [];
  const ref = refPattern(capabilities);
  const found = { refs, capabilities: capabilities.split(/\s+/), version };
  let isPastRefs = false;
  let isShallow = false;
  for (let packet = first; packet !== "flush"; packet = packets.next()) {
    if (packet === "cut") return refs.length > 0 ? { ...found, complete: false } : "cut";
    const line = lineOf(packet) ?? "";
    const [, id, name] = ref.exec(line) ?? [];
    if (id !== undefined && name === "capabilities^{}" && packet === first && zeroId.test(id)) {
      isPastRefs = true;
    } else if (id !== undefined && name !== undefined && name !== "capabilities^{}" && !isPastRefs) {
      refs.push({ id: id.toLowerCase(), name });
    } else if (/^shallow [0-9a-fA-F]{40}/.test(line)) {
      isPastRefs = true;
      isShallow = true;
    } else {
      return "invalid";
    }
  }
  return { ...found, complete: true, ...(isShallow && { isShallow }) };
}

function refPattern(capabilities: string): RegExp {
  const format = /(?:^|\s)object-format=(\S*)/.exec(capabilities)?.[1];
  return format === "sha256" ? /^([0-9a-fA-F]{64}) ([^\n]*)\n?$/ : /^([0-9a-fA-F]{40}) ([^\n]*)\n?$/;
}

/** How to ask a Git server about its commits, as its advertisement says. */
export type UploadPack = Readonly<NonNullable<ReturnType<typeof uploadPackAt>>>;

const named =
  /^(?:multi_ack_detailed|side-band-64k|thin-pack|ofs-delta|no-progress|object-format=sha(?:1|256))$/;

/** Returns undefined if the server can't be asked: it is dumb, or doesn't offer what the questions need. */
export function uploadPackAt(url: URL, { version, capabilities, isShallow = false }: Advertisement) {
  const offers = (name: string): boolean => capabilities.some((one) => one.split("=")[0] === name);
  if (version === undefined || !offers(version === 2 ? "fetch" : "side-band-64k")) return undefined;
  return {
    url,
    version,
    /** What the server offers of the capabilities that a question names. */
    capabilities: capabilities.filter((one) => named.test(one)),
    /** False if the server speaks only version 2, or has only a part of the history. */
    tellsHistory: version !== 2 && offers("shallow") && !isShallow,
  };
}

/** Parses a dumb server's `info/refs`. Without a line feed, it could be a login page. */
export function parseInfoRefs(body: Buffer): readonly AdvertisedRef[] | undefined {
  const end = body.lastIndexOf("\n");
  if (end < 0) return undefined;
  const lines = body.toString("utf8", 0, end).split("\n");
  const ref = /^[^\t]{64}\t/.test(lines[0] ?? "")
    ? /^([0-9a-fA-F]{64})\t([^\t]*)$/
    : /^([0-9a-fA-F]{40})\t([^\t]*)$/;
  const refs: AdvertisedRef[] = [];
  for (const line of lines) {
    const [, id, name] = ref.exec(line) ?? [];
    if (id === undefined || name === undefined) return undefined;
    refs.push({ id: id.toLowerCase(), name });
  }
  return refs;
}

/** Returns a line as Git reads it, up to its first NUL. */
function lineOf(packet: Packet): string | undefined {
  if (typeof packet !== "object") return undefined;
  const { line } = packet;
  const end = line.indexOf("\0");
  return end < 0 ? line : line.slice(0, end);
}

function isError(packet: Packet): boolean {
  return lineOf(packet)?.startsWith("ERR ") ?? false;
}

function unfinished(packet: Packet): "cut" | "invalid" {
  return packet === "cut" ? "cut" : "invalid";
}
