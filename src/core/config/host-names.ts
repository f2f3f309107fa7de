/** The hosts that `site.host` can name. Each has an adapter in features/hosts. */
export const hostNames = [
  "github-pages",
  "nginx",
  "apache",
  "caddy",
  "cloudflare",
  "netlify",
  "vercel",
] as const;

export type HostName = (typeof hostNames)[number];

export const defaultHost = "github-pages" satisfies HostName;

/** The hosts that support `site.slashless`. */
export const slashlessHosts: readonly HostName[] = ["github-pages"];

export function isHostName(name: unknown): name is HostName {
  return hostNames.some((known) => known === name);
}
