import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { type NetworkInterfaceInfo, networkInterfaces } from "node:os";

export const familyNames = { ipv4: "IPv4", ipv6: "IPv6" } as const;

export type Family = keyof typeof familyNames;

export interface Families {
  readonly ipv4: boolean;
  /** `local` if all its IPv6 addresses are local (RFC 4193), without a route to the internet. */
  readonly ipv6: boolean | "local";
}

/**
 * Networks outside the public internet (IANA's special-purpose registries, RFC 6890 and its updates), Azure's metadata
 * service, and 6to4 and Teredo, whose addresses embed an IPv4 address that may be private.
 */
const blocked = blockListOf(
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12",
  "192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24",
  "224.0.0.0/4 240.0.0.0/4 2001::/23 2001:db8::/32 2002::/16 3fff::/20",
);

/** The range that all public IPv6 addresses are assigned from (RFC 4291, section 2.4). */
const globalUnicast = blockListOf("2000::/3");

function blockListOf(...lines: readonly string[]): BlockList {
  const list = new BlockList();
  const networks = lines.flatMap((line) => line.split(" "));
  for (const [network = "", prefix] of networks.map((written) => written.split("/"))) {
    list.addSubnet(network, Number(prefix), network.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 6) return globalUnicast.check(address, "ipv6") && !blocked.check(address, "ipv6");
  return version === 4 && !blocked.check(address, "ipv4");
}

/** If a URL's hostname is an IP address, returns it. The URL parser has already converted `127.1` and `0x7f.1`. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  // The pattern for IPv6 takes 7 ms to compile, so names do without it.
  return (bare.includes(":") ? isIPv6(bare) : isIPv4(bare)) ? bare : undefined;
}

/** Returns whether a hostname is a private address or a local name. Only a lookup shows which others are private. */
export function isPrivateHost(hostname: string): boolean {
  const literal = literalAddress(hostname);
  return literal === undefined
    ? /(?:^|\.)(?:localhost|local|internal)\.?$/i.test(hostname)
    : !isPublic(literal);
}

export function familyOf(address: string): Family {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

/**
 * Returns whether a machine might reach an address, or the same host over the other `family`, where its address is
 * assumed to be of the same kind (public, private or loopback). Without addresses of a family, a machine can reach only
 * itself over that family.
 */
export function hasRoute(address: string, families: Families, family = familyOf(address)): boolean {
  const isUnroutable = families[family] === "local" && isPublic(address);
  return (families[family] !== false && !isUnroutable) || loopback.check(address, familyOf(address));
}

const loopback = blockListOf("127.0.0.0/8 ::1/128");

type Interface = Pick<NetworkInterfaceInfo, "address" | "family" | "internal">;

/** Returns the machine's families, ignoring loopback and link-local addresses. */
export function machineFamilies(interfaces: NodeJS.Dict<Interface[]> = networkInterfaces()): Families {
  const addresses = Object.values(interfaces).flatMap((list) => list ?? []);
  const outward = addresses.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address));
  const ipv4 = outward.some(({ family }) => family === "IPv4");
  const ipv6 = outward.filter(({ family }) => family === "IPv6");
  // A machine without interfaces is offline or hides them, so only connecting can show what works.
  if (outward.length === 0) return { ipv4: true, ipv6: true };
  return { ipv4, ipv6: ipv6.some(({ address }) => isPublic(address)) || (ipv6.length > 0 && "local") };
}
