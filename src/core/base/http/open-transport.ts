import { createSecureContext, DEFAULT_CIPHERS, rootCertificates } from "node:tls";
import { InputError } from "../errors.ts";
import { loadCertificates } from "../files/read-text.ts";
import type { Environment } from "../git/child-process.ts";
import { parseUrl } from "../text/url.ts";
import { machineFamilies } from "./address.ts";
import type { Proxies } from "./connection.ts";
import { createResolver, readHosts } from "./resolve.ts";
import { Transport, type TransportOptions } from "./transport.ts";

/** Reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY. Lower-case names come first. Throws InputError if one is not HTTP. */
export function readProxies(environment: Environment): Proxies | undefined {
  const read = (name: string): string => environment[name.toLowerCase()] || environment[name] || "";
  const proxy = (name: string): string => {
    const value = read(name);
    if (value === "" || /^https?:$/.test(parseUrl(value)?.protocol ?? "")) return value;
    // The value is not shown, since it may contain a password.
    throw new InputError(
      `${name} is not the URL of an HTTP proxy; write it as http://proxy.example.org:3128, or unset it.`,
    );
  };
  const [httpProxy, httpsProxy] = [proxy("HTTP_PROXY"), proxy("HTTPS_PROXY")];
  return httpProxy + httpsProxy === "" ? undefined : { httpProxy, httpsProxy, noProxy: read("NO_PROXY") };
}

type Connections = Awaited<ReturnType<typeof openConnections>>;

export async function openTransport(
  options: Omit<TransportOptions, keyof Connections>,
  ...connections: Parameters<typeof openConnections>
): Promise<Transport> {
  return new Transport({ ...(await openConnections(...connections)), ...options });
}

/** Reads this machine's network settings. `dns` lists name servers to ask instead of the system's. */
export async function openConnections(
  ca: readonly string[],
  environment: Environment,
  dns?: readonly string[],
) {
  return {
    resolver: createResolver(await readHosts(), dns),
    secureContext: await loadSecureContext(ca, environment),
    families: machineFamilies(),
    answered: new Map(),
    proxies: readProxies(environment),
  };
}

/** Without DHE, which browsers never offer: the server chooses its group, and 10,000 bits cost a second of CPU time. */
const ciphers = `${DEFAULT_CIPHERS}:!DHE`;

/** Trusts the authorities of Node.js, NODE_EXTRA_CA_CERTS and the PEM `files`. Throws InputError. */
export async function loadSecureContext(files: readonly string[], environment: Environment) {
  // Node.js reads NODE_EXTRA_CA_CERTS itself, but ignores it when `ca` is set.
  if (files.length === 0) return createSecureContext({ ciphers });
  const configured = await Promise.all(files.map((file) => loadCertificates(file, "correct probe.ca")));
  const extraFile = environment["NODE_EXTRA_CA_CERTS"] ?? "";
  const extra =
    extraFile === "" ? [] : await loadCertificates(extraFile, "correct NODE_EXTRA_CA_CERTS, or unset it");
  return createSecureContext({ ciphers, ca: [...rootCertificates, ...extra, ...configured.flat()] });
}
