import { type HostName, hostNames } from "../../core/config/site-settings.ts";
import { apache } from "./apache.ts";
import { caddy } from "./caddy.ts";
import { cloudflare } from "./cloudflare.ts";
import { githubPages } from "./github-pages.ts";
import { type Capabilities, type Host, wholeContract } from "./host.ts";
import { netlify } from "./netlify.ts";
import { nginx } from "./nginx.ts";
import { vercel } from "./vercel.ts";

const adapters: { readonly [Name in HostName]: Host<Name> } = {
  "github-pages": githubPages,
  nginx,
  apache,
  caddy,
  cloudflare,
  netlify,
  vercel,
};

export const hosts: readonly Host[] = hostNames.map((name) => adapters[name]);

export function hostOf(name: HostName): Host {
  return adapters[name];
}

/** Returns the capabilities of a site's host, with the site's settings applied. */
export function capabilitiesOf(site: { readonly host: HostName; readonly slashless: boolean }): Capabilities {
  const { capabilities, slashlessPages } = hostOf(site.host);
  return site.slashless && slashlessPages ? { ...capabilities, slashless: "page" } : capabilities;
}

/** The profiles of `mirrorfeed verify`, with the capabilities that each expects of a deployment. */
export const profiles: ReadonlyMap<string, Capabilities> = new Map([
  ["full", wholeContract],
  ...hosts.flatMap(({ name: host, profile }): [string, Capabilities][] => {
    if (profile === undefined) return [];
    return [
      [profile, capabilitiesOf({ host, slashless: false })],
      [`${profile}-slashless`, capabilitiesOf({ host, slashless: true })],
    ];
  }),
]);

const columns: readonly (readonly [title: string, cell: (capabilities: Capabilities) => string])[] = [
  ["403", ({ errors }) => (errors === "full" ? "yes" : "404 instead")],
  ["400", ({ errors }) => (errors === "full" ? "yes" : "404 instead")],
  ["405", ({ methodNotAllowed }) => ({ full: "yes", "own-body": "own body", other: "no" })[methodNotAllowed]],
  ["JSON type", ({ jsonTypes }) => (jsonTypes === "all" ? "yes" : "not on errors")],
  ["without slash", ({ slashless }) => (slashless === "direct" ? "yes" : "redirects")],
  ["caching", ({ cacheControl }) => (cacheControl === "full" ? "60 s" : "the host's")],
  ["rules", ({ rules }) => (rules === "constant" ? "constant" : "grow with the feed")],
  ["proof", ({ proof }) => (proof === "tested" ? "tested" : "documented, not tested")],
];

/** Returns the hosts and their capabilities as rows of text, titles first. */
export function hostTable(): string[][] {
  return [
    ["host", ...columns.map(([title]) => title)],
    ...hosts.map(({ name, capabilities }) => [name, ...columns.map(([, cell]) => cell(capabilities))]),
  ];
}
