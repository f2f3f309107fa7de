const specials = ["flush", "delimiter", "response-end", "invalid"] as const;

interface Packet {
  /** "cut" if the packet is incomplete, "invalid" if Git would give up. */
  readonly is: (typeof specials)[number] | "line" | "cut";
  /** Without its line feed. Empty unless it is a line or an error. */
  readonly line: string;
}

/** gitprotocol-common says 65520, but Git accepts up to this length. */
const maxPacketLength = 65_523;

type PacketReader = ReturnType<typeof packetReader>;

/** Reads pkt-lines as Git does (gitprotocol-common). Their four hexadecimal digits of length count themselves. */
export function packetReader(body: Buffer) {
  let at = 0;
  return {
    isAtEnd: () => at === body.length,
    /** Reads the next packet. Doesn't advance over an incomplete or invalid one. */
    next: (): Packet => {
      const digits = body.toString("latin1", at, at + 4);
      const length = Number.parseInt(digits, 16);
      if (!/^[0-9a-fA-F]*$/.test(digits) || length > maxPacketLength) return { is: "invalid", line: "" };
      const end = at + Math.max(4, length);
      if (digits.length < 4 || end > body.length) return { is: "cut", line: "" };
      const line = body.toString("utf8", at + 4, end).replace(/\n$/, "");
      at = end;
      return { is: specials[length] ?? (line.startsWith("ERR ") ? "invalid" : "line"), line };
    },
  };
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

type Parsed = Advertisement | "cut" | "invalid";

/** Like Git (connect.c), ignores the lines between the service line and the first flush packet. */
export function parseAdvertisement(body: Buffer, service: string): Parsed {
  const packets = packetReader(body);
  let packet = packets.next();
  if (lineOf(packet) === `# service=${service}`) {
    do packet = packets.next();
    while (packet.is === "line" && lineOf(packet) !== "");
    if (packet.is === "cut" || packet.is === "invalid") return packet.is;
    packet = packets.next();
  } else if (lineOf(packet) !== "version 2") {
    return packet.is === "cut" ? "cut" : "invalid";
  }
  if (lineOf(packet) === "version 2") return parseCapabilities(packets);
  if (lineOf(packet) !== "version 1") return parseRefs(packet, packets, 0);
  return parseRefs(packets.next(), packets, 1);
}

/** Parses version 2 (gitprotocol-v2, "Capability Advertisement"). Git requires `ls-refs`. */
function parseCapabilities(packets: PacketReader): Parsed {
  const capabilities: string[] = [];
  let packet = packets.next();
  for (; packet.is === "line"; packet = packets.next()) capabilities.push(lineOf(packet));
  const found = { refs: [], capabilities, version: 2 } as const;
  if (packet.is === "cut") return { ...found, complete: false };
  const hasRefs = capabilities.some((capability) => /^ls-refs(?:=|$)/.test(capability));
  const format = capabilities.find((capability) => capability.startsWith("object-format="));
  const isKnown = format === undefined || /=sha(?:1|256)$/.test(format);
  // Git would read any further bytes as the answer to its next request.
  const isWhole = packet.is === "flush" && packets.isAtEnd();
  return isWhole && hasRefs && isKnown ? { ...found, complete: true } : "invalid";
}

/** Parses versions 0 and 1 (gitprotocol-pack, "Reference Discovery"). */
function parseRefs(first: Packet, packets: PacketReader, version: 0 | 1): Parsed {
  const refs: AdvertisedRef[] = [];
  const [, capabilities = ""] = first.line.split("\0");
  const format = /(?:^|\s)object-format=(\S*)/.exec(capabilities)?.[1];
  const ref = refPattern(format === "sha256", " ([^\\n]*)\\n?");
  const found = { refs, capabilities: capabilities.split(/\s+/), version };
  let isPastRefs = false;
  let isShallow = false;
  for (let packet = first; packet.is !== "flush"; packet = packets.next()) {
    if (packet.is === "cut") return refs.length > 0 ? { ...found, complete: false } : "cut";
    const line = lineOf(packet);
    const [, id, name] = ref.exec(line) ?? [];
    if (id !== undefined && packet === first && /^0+ capabilities\^\{\}$/.test(line)) {
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

function refPattern(isSha256: boolean, rest: string): RegExp {
  return new RegExp(`^([0-9a-fA-F]{${isSha256 ? 64 : 40}})${rest}$`);
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
  const ref = refPattern(/^[^\t]{64}\t/.test(lines[0] ?? ""), "\t([^\t]*)");
  const refs: AdvertisedRef[] = [];
  for (const line of lines) {
    const [, id, name] = ref.exec(line) ?? [];
    if (id === undefined || name === undefined) return undefined;
    refs.push({ id: id.toLowerCase(), name });
  }
  return refs;
}

/** Returns a line as Git reads it, up to its first NUL. */
function lineOf({ line }: Packet): string {
  return line.split("\0", 1)[0] ?? "";
}
