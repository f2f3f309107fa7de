import { apache } from "./apache.ts";
import { caddy } from "./caddy.ts";
import { cloudflare } from "./cloudflare.ts";
import { githubPages } from "./github-pages.ts";
import { type Capabilities, wholeContract } from "./host.ts";
import { netlify } from "./netlify.ts";
import { nginx } from "./nginx.ts";
import { closestName } from "../base/text/name.ts";
import { quote } from "../base/text/quote.ts";
import { vercel } from "./vercel.ts";

const registered = [githubPages, nginx, apache, caddy, cloudflare, netlify, vercel] as const;

/** A host of the registry. */
export type RegisteredHost = (typeof registered)[number];

/** The name of a host, as `site.host` spells it. */
export type HostName = RegisteredHost["name"];

/** Every host, in the order of lists. */
export const hosts: readonly RegisteredHost[] = registered;

export const hostNames = hosts.map(({ name }) => name);

/** The default of `site.host`. */
export const defaultHost = registered[0];

/** The names of the hosts that offer `site.slashless`. */
export const slashlessHosts = hosts.flatMap(({ name, slashlessPages }) => (slashlessPages ? [name] : []));

/** Returns the host of this name, or undefined if there is none. */
export function findHost(name: unknown): RegisteredHost | undefined {
  return hosts.find((host) => host.name === name);
}

/** Returns the host of a valid configuration. Throws Error if it is not in the registry. */
export function hostOf(name: HostName): RegisteredHost {
  const host = findHost(name);
  if (host === undefined) throw new Error(`The host ${name} is not in the registry.`);
  return host;
}

/** Returns what the host of a site does with the contract, with the settings of the site. */
export function capabilitiesOf({
  host,
  slashless,
}: {
  readonly host: HostName;
  readonly slashless: boolean;
}): Capabilities {
  const { capabilities, slashlessPages } = hostOf(host);
  return slashless && slashlessPages !== undefined ? withSlashlessPages(capabilities) : capabilities;
}

/** The profiles of `mirrorfeed verify`: what each expects a deployment to do with the contract. */
export const profiles: ReadonlyMap<string, Capabilities> = new Map([
  ["full", wholeContract],
  ...hosts.flatMap(({ profile, capabilities, slashlessPages }): [string, Capabilities][] => {
    if (profile === undefined) return [];
    const plain: [string, Capabilities] = [profile, capabilities];
    return slashlessPages === undefined
      ? [plain]
      : [plain, [slashlessProfile(profile), withSlashlessPages(capabilities)]];
  }),
]);

/** Returns the name of the profile of a host whose site has `site.slashless`. */
export function slashlessProfile(profile: string): string {
  return `${profile}-slashless`;
}

function withSlashlessPages(capabilities: Capabilities): Capabilities {
  return { ...capabilities, slashless: "page" };
}

/** Returns what is wrong with the name of a host that does not exist. */
export function hostProblem(name: string): string {
  const meant = closestName(name, hostNames);
  const question = meant === undefined ? "choose one of" : `did you mean ${meant}? The hosts are`;
  return `${quote(name)} is not a host; ${question} ${hostNames.join(", ")}`;
}
