import { Resolver } from "node:dns/promises";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { devNull, platform } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { asError, errorCode, InputError } from "../errors.ts";
import { group } from "../text/group.ts";
import { literalAddress } from "./address.ts";
import { asFailure, OutOfDescriptors, ProbeFailure, unlessAborted } from "./failure.ts";

/** The addresses of a name. `rest` are those that a slower answer adds to `first` (RFC 8305, section 3). */
export interface Addresses {
  readonly first: readonly string[];
  readonly rest?: Promise<readonly string[]>;
  /** Where the addresses come from (default: DNS). */
  readonly source?: "literal" | "hosts" | "dns";
}

export type NameResolver = Readonly<ReturnType<typeof createResolver>>;

type Lookup = Readonly<Record<"ipv4" | "ipv6", Promise<readonly string[]>> & { errors: readonly unknown[] }>;

const resolutionDelayMs = 50;
/** Per family. Without this limit, a name could lead a probe through a whole network. */
const maxAddresses = 8;

/**
 * Looks in the hosts file, then asks DNS through c-ares, whose queries can be cancelled. Caches only answers. Throws
 * InputError if one of the `servers` is not an address.
 */
export function createResolver(hosts: ReadonlyMap<string, readonly string[]>, servers?: readonly string[]) {
  const resolvers: Resolver[] = [];
  const open = (): Resolver => {
    const resolver = new Resolver({ timeout: 1500, tries: 4 });
    resolvers.push(resolver);
    try {
      if (servers !== undefined) resolver.setServers(servers);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new InputError(
        `--dns takes the address of a name server, optionally with a port, such as 192.0.2.53:53.`,
      );
    }
    return resolver;
  };
  const shared = open();
  const cache = new Map<string, Lookup>();

  const lookup = (hostname: string): Lookup => {
    const cached = cache.get(hostname);
    if (cached !== undefined) return cached;
    const errors: unknown[] = [];
    const family = async (run: (resolver: Resolver) => Promise<string[]>): Promise<readonly string[]> => {
      try {
        // In c-ares 1.34, a malformed answer fails every query on its socket. Each is repeated on a new one.
        const addresses = await run(shared).catch((error: unknown) => {
          if (errorCode(error) !== "EBADRESP") throw asError(error);
          return run(open());
        });
        return addresses.slice(0, maxAddresses);
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
        errors.push(error);
        return [];
      }
    };
    const ipv4 = family((resolver) => resolver.resolve4(hostname));
    const ipv6 = family((resolver) => resolver.resolve6(hostname));
    cache.set(hostname, { ipv4, ipv6, errors });
    void Promise.all([ipv4, ipv6]).then((lists) => {
      if (lists.every((list) => list.length === 0)) cache.delete(hostname);
    });
    return { ipv4, ipv6, errors };
  };

  return {
    close: () => {
      for (const resolver of resolvers) resolver.cancel();
    },
    resolve: (hostname: string, signal: AbortSignal): Addresses | Promise<Addresses> => {
      const literal = literalAddress(hostname);
      if (literal !== undefined) return { first: [literal], source: "literal" };
      const name = hostname.replace(/\.$/, "").toLowerCase();
      const local = hosts.get(name) ?? (/(?:^|\.)localhost$/.test(name) ? ["127.0.0.1", "::1"] : undefined);
      return local === undefined ? firstAnswers(lookup(name), signal) : { first: local, source: "hosts" };
    },
  };
}

/** Parses a hosts file (hosts(5)). Returns the addresses of each name in order. */
export function parseHosts(text: string): Map<string, string[]> {
  const entries = text.split("\n").flatMap((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().split(/\s+/);
    return isIP(address) === 0 ? [] : names.map((name) => [name.toLowerCase(), address] as const);
  });
  return group(entries);
}

export async function readHosts(): Promise<Map<string, string[]>> {
  const file = platform() === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";
  try {
    return parseHosts(await readFile(file, "utf8"));
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return new Map();
  }
}

async function firstAnswers({ ipv4, ipv6, errors }: Lookup, signal: AbortSignal): Promise<Addresses> {
  const both = Promise.all([ipv4, ipv6]);
  const settled: string[] = [];
  const families = [ipv6, ipv4].map(async (family) => {
    const addresses = await family;
    settled.push(...addresses);
    if (addresses.length === 0) throw new ProbeFailure("dns");
  });
  const enough = Promise.any(families).then(
    () => Promise.race([both, sleep(resolutionDelayMs)]),
    () => both,
  );
  await unlessAborted(enough, signal);
  const first = interleave(settled);
  const rest = both.then((lists) => interleave(lists.flat()).filter((address) => !first.includes(address)));
  if (first.length === 0) {
    requireDescriptor();
    // ENODATA means only that the name has no addresses of one family, so any other error says more.
    const cause = errors.find((error) => errorCode(error) !== "ENODATA") ?? errors[0];
    throw new ProbeFailure("dns", { cause });
  }
  return { first, rest };
}

/** Alternates the families, IPv6 first (RFC 8305, section 4). */
function interleave(addresses: readonly string[]): string[] {
  const [ipv6 = [], ipv4 = []] = [6, 4].map((family) =>
    addresses.filter((address) => isIP(address) === family),
  );
  const length = Math.max(ipv6.length, ipv4.length);
  return Array.from({ length }, (_, index) => [ipv6[index] ?? [], ipv4[index] ?? []].flat()).flat();
}

/** Throws OutOfDescriptors if no file descriptor is left. c-ares itself only reports that the name server refused. */
function requireDescriptor(): void {
  try {
    closeSync(openSync(devNull, "r"));
  } catch (error) {
    const failure = asFailure(error);
    if (failure instanceof OutOfDescriptors) throw failure;
  }
}
