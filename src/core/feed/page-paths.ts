import type { FeedNode } from "./feed-node.ts";

/** The page of all systems. If the operator has a page at the top of the site, the overview takes its place. */
export const systemsPath = "/status/";

export function systemPath(system: string): string {
  return `/status/${system}/`;
}

export function projectPath(names: { readonly system: string; readonly project: string }): string {
  return `/status/${names.system}/${names.project}/`;
}

export function targetPath({ place }: { readonly place: string }): string {
  return `/status/${place}/`;
}

/** In targets with more mirrors than this, each mirror has its own page. */
export const maxSections = 8;

/** Links to a mirror's own page, or to its section on the target's page. */
export function nodePath({ id, target }: Pick<FeedNode, "id" | "target">): string {
  return `${targetPath(target)}${target.size > maxSections ? `${id}/` : `#node-${id}`}`;
}

/** Without a name, returns the page that lists all incidents and notices. */
export function incidentPath(name?: string): string {
  return name === undefined ? "/incidents/" : `/incidents/${name}/`;
}

export const subscribePath = "/subscribe/";

/** Returns the URL of a path, or undefined if the feed's own URL is unknown. */
export function pageUrl({ url }: { readonly url: string | undefined }, path: string): string | undefined {
  return url === undefined ? undefined : `${url}${path}`;
}
