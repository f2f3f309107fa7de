import type { Format } from "../language/format.ts";
import type { Words } from "../language/words.ts";
import type { Feed, Node, Project, TargetInfo } from "../model/feed.ts";

/** The prefix of the links on one page. */
export interface Links {
  /** The relative path from the page to the root of the site: `./`, or `../` for each folder of the page. */
  readonly top: string;
}

/** Returns the prefix of the links on the page at `path`, which has a slash at its start and its end. */
export function linksFrom(path: string): Links {
  return { top: "../".repeat(path.split("/").length - 2) || "./" };
}

/**
 * Returns the relative link from a page to a path of the site, which has a slash at its start. Relative links let the site
 * work below any path.
 */
export function link({ top }: Links, path: string): string {
  return top + path.slice(1);
}

/** A feed with the link prefix of one page, the words of its language and the form of its dates. */
export interface PageFeed extends Feed, Links {
  readonly words: Words;
  readonly format: Format;
}

/** Returns the path of a system's page. */
export function systemPath(system: string): string {
  return `/status/${system}/`;
}

/** Returns the path of a project's page. */
export function projectPath({ system, project }: Pick<Project, "system" | "project">): string {
  return `/status/${system}/${project}/`;
}

/** Returns the path of a target's page. */
export function targetPath({ place }: TargetInfo): string {
  return `/status/${place}/`;
}

/** In targets with more mirrors than this, each mirror has a page of its own. */
export const maxSections = 8;

/** Returns the path of a mirror: its section on the page of its target, or its own page. */
export function nodePath({ id, target }: Pick<Node, "id" | "target">): string {
  return target.size > maxSections ? `${targetPath(target)}${id}/` : `${targetPath(target)}#node-${id}`;
}

/** Returns the path of an incident or a notice, or of the page of all. */
export function incidentPath(name?: string): string {
  return name === undefined ? "/incidents/" : `/incidents/${name}/`;
}
