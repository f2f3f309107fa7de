import type { FeedNode } from "../../core/feed/feed-node.ts";

type GitMirror = Pick<
  FeedNode,
  "kind" | "freshness" | "late" | "differs" | "revision" | "moved_to" | "difference" | "target"
>;

/** Returns what to change if a Git mirror has moved, or can't match its reference as it is configured. */
export function gitRemedies(mirror: GitMirror): string[] {
  if (mirror.kind !== "git") return [];
  const sentences = [movedSentence(mirror.moved_to), formatSentence(mirror) ?? refsSentence(mirror)];
  return sentences.filter((sentence) => sentence !== undefined);
}

export function movedSentence(movedTo: string | undefined): string | undefined {
  return movedTo === undefined ? undefined : `It redirects to ${movedTo}; use this URL in mirrors.json.`;
}

const formats = new Map([
  [40, { name: "SHA-1", option: "sha1" }],
  [64, { name: "SHA-256", option: "sha256" }],
]);

function formatSentence({ revision, target }: GitMirror): string | undefined {
  const own = formats.get(revision?.length ?? 0);
  const expected = formats.get(target.reference?.revision.length ?? 0);
  if (own === undefined || expected === undefined || own === expected) return undefined;
  return `Its object ids are ${own.name} and the reference's are ${expected.name}, so they can never match; create it with git init --object-format=${expected.option}.`;
}

/** Only the first names of a difference are known. */
function refsSentence({ freshness, late, differs, difference, target }: GitMirror): string | undefined {
  const main = `refs/heads/${target.reference?.branch ?? ""}`;
  const isBranch = (name: string): boolean => name.startsWith("refs/heads/");
  const { missing, different } = difference?.names ?? { missing: [], different: [main] };
  const lacksOnlyBranches =
    missing.every((name) => isBranch(name) && name !== main) && different.length === 0;
  if (late && lacksOnlyBranches)
    return `If it copies only its main branch and tags, set probe.git.refs of its target to ${JSON.stringify([main, "refs/tags/*"])}.`;
  if (freshness === "differs" && differs === true && different.some(isBranch))
    return "If it is a fork with commits of its own, it can never match; give it a target of its own.";
  return undefined;
}
