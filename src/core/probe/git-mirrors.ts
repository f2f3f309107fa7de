import type { Node } from "../config/nodes.ts";
import type { UploadPack } from "../kinds/git-advertisement.ts";
import type { Observation } from "./observation.ts";
import { RefSets } from "./ref-set.ts";

/** A Git mirror that answered well in this run. */
export type GitMirror = Readonly<ReturnType<typeof listGitMirrors>[number]>;

/** What probes find out beyond their observations. */
export const nothingFound = () => ({
  refSets: new RefSets(),
  servers: new Map<Observation, { node: Node; uploadPack: UploadPack }>(),
});

export type Found = Readonly<ReturnType<typeof nothingFound>>;

export function listGitMirrors(observations: readonly Observation[], { refSets, servers }: Found) {
  return observations.flatMap((observation) => {
    const server = servers.get(observation);
    if (server === undefined) return [];
    const { revision, branch, refs: digest = "" } = observation;
    /** The full name of the branch that its HEAD names, or `HEAD` if it names none. */
    const head = branch === undefined ? "HEAD" : `refs/heads/${branch}`;
    // Mirrors with the same refs share one set. It is empty if the refs were not read.
    return [{ ...server, revision, head, refs: refSets.kept.get(digest)?.refs ?? new Map<string, string>() }];
  });
}

/** Returns a mirror's commit for a full ref name. HEAD and its branch are known even if the refs were not read. */
export function valueOf({ refs, head, revision }: GitMirror, name: string): string | undefined {
  return refs.get(name) ?? (name === "HEAD" || name === head ? revision : undefined);
}
