import { familyNames } from "../../core/base/http/address.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/time.ts";
import { formatMinute } from "../../core/base/text/timestamp.ts";
import { evidence, isContentCode, type Reason, sentenceOf } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/** Returns a whole sentence, or an empty string if all is well. */
export function codeSentence(seen: Reason & Partial<Pick<FeedNode, "code" | "http_status">> = {}): string {
  const { code, http_status } = seen;
  if (code === undefined || code === "ok") return "";
  const sentence = sentenceOf(code, seen);
  return http_status === undefined ? sentence : sentence.replace(/\.$/, ` (HTTP ${http_status}).`);
}

/**
 * Explains in whole sentences a mirror's state at `at` (epoch milliseconds) and what this run saw. Returns an empty
 * string if the mirror is online and this run saw no problem.
 */
export function explain(mirror: FeedNode, observation: Observation | undefined, at: number): string {
  const { kept_online, unreachable_family, unverified_since } = mirror;
  const sentences = [
    stateSentence(mirror, at),
    kept_online === "last_reachable" &&
      "It stays online despite freshness.offlineAfter, because no mirror of its target would be online otherwise.",
    runSentence(mirror, observation),
    ...gitRemedies(mirror),
    unreachable_family && `It cannot be reached over ${familyNames[unreachable_family]}.`,
    unverified_since && `Nothing has confirmed its status since ${formatMinute(unverified_since)}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

export function stateSentence(mirror: FeedNode, at: number): string {
  const { state, status, maintenance = "", behind_since, content_since, difference, lag_seconds } = mirror;
  const began = state === "offline" ? mirror.since : state === "differs" ? content_since : behind_since;
  const age = at - Date.parse(began ?? "");
  const lasted = age > 0 ? ` for ${formatDuration(age)}` : "";
  const counts = (["missing", "different", "extra"] as const).flatMap((sort) =>
    difference?.[sort] ? [`${formatCount(difference[sort], "ref")} ${sort}`] : [],
  );
  const refs = counts.length > 0 ? `: ${counts.join(", ")}` : "";
  const older = difference?.missing ? refs : ": it still has the reference's earlier content";
  switch (state) {
    case "online":
      return lasted && `It has been behind${lasted}.`;
    case "behind":
      return lag_seconds === undefined
        ? `It has been behind${lasted}${older}.`
        : `It has been behind${lasted}: its content is ${formatDuration(lag_seconds * 1000)} older than the reference.`;
    case "differs":
      return `It has differed from the reference${lasted}${refs}.`;
    case "wrong":
      return sentenceOf(mirror.content_code ?? "");
    case "offline":
      return `${codeSentence(mirror)}${lasted && ` It has been offline${lasted}.`}`;
    case "maintenance":
      return `In maintenance: ${maintenance.replace(/[.!?\s]+$/, "")}. Until it ends, the status stays ${status === 1 ? "online" : "offline"}.`;
    case "unknown":
      return "No run has shown yet whether it is reachable.";
  }
}

/** Returns what this run saw, unless the state already says so. */
function runSentence(
  { state, status, code, observed: { votes, code: seen }, kept_online }: FeedNode,
  observation: Observation | undefined,
): string {
  if (votes !== undefined)
    return `It was seen as ${votes.map((vote) => `${vote.code} from ${vote.vantage}`).join(", ")}.`;
  if (seen === undefined) return state === "unknown" ? "" : "This run did not observe it.";
  const voted = evidence(seen);
  // The content decides the status of a mirror that answers.
  const isSaid = voted === status || (voted === 1 && (kept_online !== undefined || isContentCode(code)));
  if (isSaid && state !== "maintenance") return "";
  if (voted === 1) return "This run reached it.";
  return `${voted === 0 ? "This run did not reach it. " : ""}${codeSentence(observation)}`;
}

/** Returns what to change if a Git mirror has moved, or can't match its reference as it is configured. */
export function gitRemedies(mirror: FeedNode): string[] {
  if (mirror.kind !== "git") return [];
  return [movedSentence(mirror.moved_to), refsSentence(mirror)].filter((sentence) => sentence !== "");
}

export function movedSentence(movedTo: string | undefined): string {
  return movedTo === undefined ? "" : `It redirects to ${movedTo}; use this URL in mirrors.json.`;
}

/** Only the first names of a difference are known. */
function refsSentence({ freshness, late, differs, revision, difference, target }: FeedNode): string {
  const { branch = "", revision: expected = "" } = target.reference ?? {};
  if (revision !== undefined && expected !== "" && revision.length !== expected.length)
    return `Its object ids can never match the reference's; create it with git init --object-format=${expected.length === 40 ? "sha1" : "sha256"}.`;
  const main = `refs/heads/${branch}`;
  const isBranch = (name: string): boolean => name.startsWith("refs/heads/");
  const { missing, different } = difference?.names ?? { missing: [], different: [main] };
  const lacksOnlyBranches =
    missing.every((name) => isBranch(name) && name !== main) && different.length === 0;
  if (late && lacksOnlyBranches)
    return `If it copies only its main branch and tags, set probe.git.refs of its target to ${JSON.stringify([main, "refs/tags/*"])}.`;
  return freshness === "differs" && differs === true && different.some(isBranch)
    ? "If it is a fork with commits of its own, it can never match; give it a target of its own."
    : "";
}
