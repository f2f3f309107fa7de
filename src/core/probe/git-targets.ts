import { byFrequency, group } from "../base/text/group.ts";
import type { Node } from "../config/nodes.ts";
import type { UploadPack } from "../kinds/git-advertisement.ts";
import type { Observation } from "./observation.ts";
import { RefSets } from "./ref-set.ts";

/** What earlier runs know about the branches of a target's reference. */
export interface KnownHistory {
  /** The full name of the branch that the reference's HEAD names. */
  readonly main: string | undefined;
  /** The commits that main has had, oldest first, as full ids. The last one is its last known tip. */
  readonly versions: readonly string[];
  /** Further commits that the reference is asked about, by full branch name. */
  readonly asked: readonly (readonly [branch: string, id: string])[];
  /**
   * Whether nothing needs to be asked about a mirror's commit on a branch: the reference has had it, has no such
   * branch, or has answered. `tip` is the reference's commit in this run. If it is undefined, the last known one counts.
   */
  readonly isSettled: (branch: string, id: string, tip: string | undefined) => boolean;
}

export type HistoryOf = (place: string) => KnownHistory | undefined;

export type GitTarget = Readonly<Awaited<ReturnType<typeof seeTargets>>[number]>;

/** Returns the targets whose reference was seen. `own` are this shard's nodes. */
export async function seeTargets(
  nodes: readonly Node[],
  own: readonly Node[],
  mirrors: readonly GitMirror[],
  historyOf: HistoryOf,
  readPrimaries: (primaries: readonly Node[]) => Promise<readonly GitMirror[]>,
) {
  const primaries = new Map(nodes.filter(({ primary }) => primary).map((node) => [node.place, node]));
  const ownNodes = new Set(own);
  const counts = new Map(byFrequency(own.map(({ place }) => place)));
  const byPlace = group(mirrors.map((mirror) => [mirror.node.place, mirror] as const));
  const targets = [...byPlace].map(([place, found]) => {
    const primary = primaries.get(place);
    const isElsewhere = primary !== undefined && !ownNodes.has(primary);
    /** `isElsewhere`: another shard has the primary. */
    return { place, mirrors: found, known: historyOf(place), primary, isElsewhere };
  });
  const missing = targets.flatMap(({ primary, isElsewhere, mirrors: found, known }) => {
    const isSameKind = primary?.settings.kind === found[0].node.settings.kind;
    const isNeeded = isElsewhere && isSameKind && found.some((mirror) => mayHaveStranger(mirror, known));
    return isNeeded ? primary : [];
  });
  const read = await readPrimaries(missing);
  const seen = new Map([...mirrors, ...read].map((mirror) => [mirror.node.id, mirror]));
  return targets.flatMap(({ primary, ...target }) => {
    const { place, known } = target;
    const found = primary && seen.get(primary.id);
    if (primary !== undefined && found === undefined) return [];
    const count = counts.get(place) ?? 0;
    const reference = found ? referenceAmong([found], 1) : referenceAmong(target.mirrors, count, known);
    return [{ ...target, reference }];
  });
}

const maxWitnesses = 3;

/**
 * Returns what a target's mirrors are compared with in this run: what more than half of `mirrors` share, else the last
 * known tip of main. If a target has a primary, that is the only mirror here.
 */
function referenceAmong(mirrors: readonly GitMirror[], count: number, known?: KnownHistory) {
  const shared = (values: readonly (string | undefined)[]): string | undefined =>
    byFrequency(values).find(([, same]) => same * 2 > count)?.[0];
  /** The full name of the branch that HEAD names, or `HEAD` if it names none. */
  const main = known?.main ?? shared(mirrors.map(({ head }) => head)) ?? "HEAD";
  const tips = new Map<string, string | undefined>();
  const tipOf = (branch: string): string | undefined => {
    const tip = tips.get(branch) ?? shared(mirrors.map((mirror) => valueOf(mirror, branch)));
    tips.set(branch, tip ?? (branch === main ? known?.versions.at(-1) : undefined));
    return tips.get(branch);
  };
  /** Whom to ask about the history of a branch's tip. */
  const witnessesOf = (branch: string): GitMirror[] => {
    const tip = tipOf(branch);
    const withTip = mirrors.filter((mirror) => valueOf(mirror, branch) === tip);
    return withTip.filter(({ uploadPack }) => uploadPack.tellsHistory).slice(0, maxWitnesses);
  };
  return { main, tipOf, witnessesOf };
}

function branchesOf({ refs }: GitMirror, main: string): string[] {
  return [main, ...[...refs.keys()].filter((name) => name.startsWith("refs/heads/") && name !== main)];
}

/** Whether a mirror may have a stranger, as far as that can be told without the reference. */
function mayHaveStranger(mirror: GitMirror, known: KnownHistory | undefined): boolean {
  if (known === undefined) return true;
  return branchesOf(mirror, known.main ?? "HEAD").some((branch) => {
    const id = valueOf(mirror, branch);
    return id !== undefined && !known.isSettled(branch, id, undefined);
  });
}

const maxStrangers = 8;

/** Returns a mirror's commits that must be asked about, each with its branch. Main comes first. */
export function strangersOf({ reference: { main, tipOf }, known }: GitTarget, mirror: GitMirror) {
  const strangers = branchesOf(mirror, main).flatMap((branch) => {
    const id = valueOf(mirror, branch);
    const tip = tipOf(branch);
    const isStranger = id !== undefined && canAsk(id, tip) && known?.isSettled(branch, id, tip) !== true;
    return isStranger ? [[branch, id] as const] : [];
  });
  return strangers.slice(0, maxStrangers);
}

/** One id of another length makes the whole answer empty. */
export function canAsk(id: string, tip: string | undefined): boolean {
  return tip !== undefined && id !== tip && id.length === tip.length;
}

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
