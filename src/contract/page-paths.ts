// The paths of pages. Those of documents are the same in the contract and the report.

export function systemPath(system: string): string {
  return `/status/${system}/`;
}

export function projectPath(names: { readonly system: string; readonly project: string }): string {
  return `/status/${names.system}/${names.project}/`;
}

export function targetPath({ place }: { readonly place: string }): string {
  return `/status/${place}/`;
}

/** In targets with more mirrors than this, each mirror has a page of its own. */
export const maxSections = 8;

/** Returns the path of a mirror: its section on the page of its target, or its own page. */
export function nodePath(node: {
  readonly id: number;
  readonly target: { readonly place: string; readonly size: number };
}): string {
  const { id, target } = node;
  return `${targetPath(target)}${target.size > maxSections ? `${id}/` : `#node-${id}`}`;
}

/** Returns the path of an incident or a notice, or of the page of all. */
export function incidentPath(name?: string): string {
  return name === undefined ? "/incidents/" : `/incidents/${name}/`;
}

export const subscribePath = "/subscribe/";
