/** Returns a mirrors.json of one target, community/jcb/packages, with nodes on this machine. */
export function mirrorsOf(nodes: readonly { readonly url: string; readonly name?: string }[]): string {
  const network = nodes.map((node, index) => ({ id: index + 1, ...node }));
  const projects = [{ project: "jcb", targets: [{ target: "packages", network }] }];
  return JSON.stringify({
    systems: [{ system: "community", projects }],
    probe: { allowPrivate: true, timeout: "5s", attempts: 1 },
  });
}

export const target = "community/jcb/packages";
