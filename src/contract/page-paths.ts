/** Returns the path of a system's page. */
export function systemPath(system: string): string {
  return `/status/${system}/`;
}

/** Returns the path of a project's page. */
export function projectPath({
  system,
  project,
}: {
  readonly system: string;
  readonly project: string;
}): string {
  return `/status/${system}/${project}/`;
}

/** Returns the path of a target's page. */
export function targetPath({ place }: { readonly place: string }): string {
  return `/status/${place}/`;
}

/** In targets with more mirrors than this, each mirror has a page of its own. */
export const maxSections = 8;

/** A mirror, as far as the path of its page needs it. */
interface NodePlace {
  readonly id: number;
  readonly target: { readonly place: string; readonly size: number };
}

/** Returns the path of a mirror: its section on the page of its target, or its own page. */
export function nodePath({ id, target }: NodePlace): string {
  return target.size > maxSections ? `${targetPath(target)}${id}/` : `${targetPath(target)}#node-${id}`;
}

/** Returns the path of an incident or a notice, or of the page of all. */
export function incidentPath(name?: string): string {
  return name === undefined ? "/incidents/" : `/incidents/${name}/`;
}
