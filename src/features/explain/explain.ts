import { familyNames } from "../../core/base/http/address.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { formatMinute } from "../../core/base/text/timestamp.ts";
import type { Node } from "../../core/config/nodes.ts";
import type { MirrorState } from "../../core/verdict/mirror-state.ts";
import { evidence, isContentCode, type Reason, sentenceOf } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

interface Coded extends Reason {
  readonly code?: string | undefined;
  readonly http_status?: number | undefined;
}

/** Returns a whole sentence, or an empty string if all is well. */
export function codeSentence(observed: Coded = {}): string {
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
    stateSentences[mirror.state](mirror, (since) => {
      const age = since === undefined ? 0 : at - Date.parse(since);
      return age > 0 ? ` for ${formatDuration(age)}` : "";
    }),
    kept_online === "last_reachable" &&
      "It stays online despite freshness.offlineAfter, because no mirror of its target would be online otherwise.",
    runSentence(mirror, settings, observation),
    // The reference's branch is compared, whichever branch the mirror's HEAD names.
    branch !== undefined &&
      expected !== undefined &&
      branch !== expected &&
      `Its HEAD names ${branch}; the reference's names ${expected}.`,
    unreachable_family && `It cannot be reached over ${familyNames[unreachable_family]}.`,
    unverified_since && `Nothing has confirmed its status since ${formatMinute(unverified_since)}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

/** `ageOf` returns for how long something has been so, such as ` for 2 hours`, or an empty string. */
type Explain = (mirror: FeedNode, ageOf: (since: string | undefined) => string) => string;

const stateSentences: Readonly<Record<MirrorState, Explain>> = {
  online: ({ behind_since }, ageOf) => {
    const age = ageOf(behind_since);
    return age && `It has been behind${age}.`;
  },
  behind: ({ behind_since, lag_seconds, difference }, ageOf) => {
    const what =
      lag_seconds === undefined
        ? difference?.missing
          ? differenceText(difference)
          : ": it still has the reference's earlier content"
        : `: its content is ${formatDuration(lag_seconds * 1000)} older than the reference`;
    return `It has been behind${ageOf(behind_since)}${what}.`;
  },
  differs: ({ content_since, difference }, ageOf) =>
    `It has differed from the reference${ageOf(content_since)}${differenceText(difference)}.`,
  wrong: ({ content_code = "" }) => sentenceOf(content_code),
  offline: (mirror, ageOf) => {
    const age = ageOf(mirror.since);
    return `${codeSentence(mirror)}${age && ` It has been offline${age}.`}`;
  },
  maintenance: ({ maintenance = "", status }) =>
    `In maintenance: ${maintenance.replace(/[.!?\s]+$/, "")}. Until it ends, the status stays ${status === 1 ? "online" : "offline"}.`,
  unknown: () => "No run has shown yet whether it is reachable.",
};

function differenceText(difference: FeedNode["difference"]): string {
  const counts = (["missing", "different", "extra"] as const).flatMap((sort) =>
    difference !== undefined && difference[sort] > 0
      ? [`${formatCount(difference[sort], "ref")} ${sort}`]
      : [],
  );
  return counts.length > 0 ? `: ${counts.join(", ")}` : "";
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
