/** The parts of a cleartext signature (RFC 9580, 7), as archives write them. */
const cleartextHeader = /^-----BEGIN PGP SIGNED MESSAGE-----\n(?:Hash: [\w, -]{1,200}\n){0,8}\n/;
const armorHeader = /^\n-----BEGIN PGP SIGNATURE-----\n(?:[A-Za-z]{1,30}: [^\n]{0,200}\n){0,8}\n/;
const armorTail = /^(?:=[\w+/]{4}\n)?-----END PGP SIGNATURE-----\n*$/;
const armorLine = /^[A-Za-z\d+/]{1,76}={0,2}$/;

/** Debian signs with up to four keys, about 1,200 characters each. */
const maxArmorLength = 32 * 1024;

/**
 * Returns whether a text is a single cleartext-signed message whose signature block contains only signatures. gpgv itself
 * ignores unsigned text before and after the message, and decompresses data in place of a signature.
 */
export function isCleartextSigned(text: string): boolean {
  if (!cleartextHeader.test(text)) return false;
  const start = text.indexOf("\n-----BEGIN PGP SIGNATURE-----\n");
  const armor = text.slice(start);
  const header = armorHeader.exec(armor);
  if (start < 0 || armor.length > maxArmorLength || header === null) return false;
  const lines = armor.slice(header[0].length).split("\n");
  const end = lines.findIndex((line) => !armorLine.test(line));
  if (!armorTail.test(lines.slice(end).join("\n"))) return false;
  return areSignatures(Buffer.from(lines.slice(0, end).join(""), "base64"));
}

/** Returns whether OpenPGP packets (RFC 9580, 4.2) are signatures, at least one, and whole. */
function areSignatures(packets: Buffer): boolean {
  let at = 0;
  while (at < packets.length) {
    const header = packets[at] ?? 0;
    const isNew = header >= 0xc0;
    const type = isNew ? header & 0x3f : (header & 0x3c) >> 2;
    const length = isNew ? newLength(packets, at + 1) : oldLength(packets, at + 1, header & 3);
    if (header < 0x80 || type !== 2 || length === undefined) return false;
    at = length.bodyAt + length.size;
  }
  return packets.length > 0 && at === packets.length;
}

interface PacketLength {
  readonly bodyAt: number;
  readonly size: number;
}

/** Signatures have a length: partial bodies are for data (RFC 9580, 4.2.1.4). */
function newLength(packets: Buffer, at: number): PacketLength | undefined {
  const [first = 0, second = 0] = packets.subarray(at);
  if (first < 192) return { bodyAt: at + 1, size: first };
  if (first < 224) return { bodyAt: at + 2, size: (first - 192) * 256 + second + 192 };
  if (first === 255 && at + 5 <= packets.length)
    return { bodyAt: at + 5, size: packets.readUInt32BE(at + 1) };
  return undefined;
}

/** The lengths of one, two and four octets (RFC 9580, 4.2.2). */
function oldLength(packets: Buffer, at: number, lengthType: number): PacketLength | undefined {
  const octets = 2 ** lengthType;
  if (octets > 4 || at + octets > packets.length) return undefined;
  return { bodyAt: at + octets, size: packets.readUIntBE(at, octets) };
}
