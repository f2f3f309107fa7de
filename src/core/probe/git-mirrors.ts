import type { Node } from "../config/nodes.ts";
import type { UploadPack } from "../kinds/git-advertisement.ts";
import type { Observation } from "./observation.ts";
import type { RefSet } from "./ref-set.ts";

/** A Git mirror that answered well in this run. */
export type GitMirror = Readonly<ReturnType<typeof listGitMirrors>[number]>;

const noRefs: RefSet = new Map();

/** `refSets` are those of the run by digest. Mirrors with the same refs share one. */
export function listGitMirrors(
  nodes: readonly Node[],
  observations: readonly Observation[],
  uploadPacks: ReadonlyMap<number, UploadPack>,
  refSets: ReadonlyMap<string, RefSet>,
) {
  const byId = new Map(observations.map((observation) => [observation.id, observation]));
  return nodes.flatMap((node) => {
    const observation = byId.get(node.id);
    const uploadPack = uploadPacks.get(node.id);
    if (observation?.code !== "ok" || uploadPack === undefined) return [];
    const { revision, branch, refs: digest = "" } = observation;
    /** The full name of the branch that its HEAD names, or `HEAD` if it names none. */
    const head = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
    // Empty if its refs were not read.
    return [{ node, uploadPack, revision, head, refs: refSets.get(digest) ?? noRefs }];
  });
}

/** Returns a mirror's commit for a full ref name. HEAD and its branch are known even if the refs were not read. */
export function valueOf({ refs, head, revision }: GitMirror, name: string): string | undefined {
  return refs.get(name) ?? (name === "HEAD" || name === head ? revision : undefined);
}
