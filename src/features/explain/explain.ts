import { familyNames } from "../../core/base/http/address.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { formatMinute } from "../../core/base/text/timestamp.ts";
import type { Node } from "../../core/config/nodes.ts";
import { evidence, isContentCode, type Reason, sentenceOf } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { gitRemedies } from "./git-remedies.ts";

/** Returns a whole sentence, or an empty string if all is well. */
export function codeSentence(
  observed: Reason & Partial<Pick<FeedNode, "code" | "http_status">> = {},
): string {
  const { code, http_status } = observed;
  if (code === undefined || code === "ok") return "";
  const sentence = sentenceOf(code, observed);
  return http_status === undefined ? sentence : sentence.replace(/\.$/, ` (HTTP ${http_status}).`);
}

/**
 * Explains in whole sentences a mirror's state at `at` (epoch milliseconds) and what this run saw. Returns an empty
 * string if the mirror is online and this run saw no problem.
 */
export function explain(
  mirror: FeedNode,
  settings: Node["settings"],
  observation: Observation | undefined,
  at: number,
): string {
  const { branch, kept_online, target, unreachable_family, unverified_since } = mirror;
  const expected = target.reference?.branch;
  const sentences = [
    stateSentence(mirror, at),
    kept_online === "last_reachable" &&
      "It stays online despite freshness.offlineAfter, because no mirror of its target would be online otherwise.",
    runSentence(mirror, settings, observation),
    // The reference's branch is compared, whichever branch the mirror's HEAD names.
    branch !== undefined &&
      expected !== undefined &&
      branch !== expected &&
      `Its HEAD names ${branch}; the reference's names ${expected}.`,
    ...gitRemedies(mirror),
    unreachable_family && `It cannot be reached over ${familyNames[unreachable_family]}.`,
    unverified_since && `Nothing has confirmed its status since ${formatMinute(unverified_since)}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

export function stateSentence(mirror: FeedNode, at: number): string {
  const { state, status, since, maintenance = "", content_code = "", content_since, difference } = mirror;
  const { behind_since, lag_seconds } = mirror;
  const ageOf = (from: string | undefined): string => {
    const age = from === undefined ? 0 : at - Date.parse(from);
    return age > 0 ? ` for ${formatDuration(age)}` : "";
  };
  const behind = `It has been behind${ageOf(behind_since)}`;
  const counts = (["missing", "different", "extra"] as const).flatMap((sort) =>
    difference?.[sort] ? [`${formatCount(difference[sort], "ref")} ${sort}`] : [],
  );
  const refs = counts.length > 0 ? `: ${counts.join(", ")}` : "";
  switch (state) {
    case "online":
      return ageOf(behind_since) === "" ? "" : `${behind}.`;
    case "behind":
      return lag_seconds === undefined
        ? `${behind}${difference?.missing ? refs : ": it still has the reference's earlier content"}.`
        : `${behind}: its content is ${formatDuration(lag_seconds * 1000)} older than the reference.`;
    case "differs":
      return `It has differed from the reference${ageOf(content_since)}${refs}.`;
    case "wrong":
      return sentenceOf(content_code);
    case "offline":
      return ageOf(since) === ""
        ? codeSentence(mirror)
        : `${codeSentence(mirror)} It has been offline${ageOf(since)}.`;
    case "maintenance":
      return `In maintenance: ${maintenance.replace(/[.!?\s]+$/, "")}. Until it ends, the status stays ${status === 1 ? "online" : "offline"}.`;
    case "unknown":
      return "No run has shown yet whether it is reachable.";
  }
}

/** Returns what this run saw, unless the state already says so. */
function runSentence(
  mirror: FeedNode,
  { failureThreshold, successThreshold }: Node["settings"],
  observation: Observation | undefined,
): string {
  const { state, status, code, observed, kept_online } = mirror;
  if (observed.votes !== undefined) return votesSentence(observed.votes);
  const sentence = codeSentence(observation);
  if (state === "unknown") return sentence;
  if (observed.code === undefined) return "This run did not observe it.";
  const voted = evidence(observed.code);
  if (voted === undefined) return sentence;
  if (state === "maintenance") return voted === 1 ? "This run reached it." : sentence;
  // Nothing is said if the run agrees with the status, or if the content decides the status of a mirror that answers.
  if (voted === status || kept_online !== undefined || isContentCode(code)) return "";
  return voted === 1
    ? `This run reached it. It comes back online after ${formatCount(successThreshold, "good answer")} in a row.`
    : `${sentence} It goes offline after ${formatCount(failureThreshold, "failure")} in a row.`;
}

function votesSentence(votes: NonNullable<FeedNode["observed"]["votes"]>): string {
  const byCode = group(votes.map(({ vantage, code }) => [code, vantage] as const));
  return [...byCode]
    .map(([code, names]) => {
      const sentence = code === "ok" ? "It answered as expected." : sentenceOf(code);
      return `From ${names.join(", ")}: ${sentence}`;
    })
    .join(" ");
}
