import { familyNames } from "../../core/base/http/address.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { formatDuration } from "../../core/base/text/duration.ts";
import { group } from "../../core/base/text/group.ts";
import { formatMinute } from "../../core/base/text/timestamp.ts";
import type { Node } from "../../core/config/nodes.ts";
import type { MirrorState } from "../../core/verdict/mirror-state.ts";
import type { Freshness } from "../../core/verdict/rank.ts";
import { type Reason, sentenceOf } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";
import { vote } from "../../core/state/decide-status.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { isContentCode, evidence } from "../../core/kinds/evidence.ts";

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
  const sentences = [
    stateSentences[mirror.state](mirror, (since) => at - Date.parse(since)),
    mirror.kept_online === "last_reachable"
      ? "It stays online despite freshness.offlineAfter, because no mirror of its target would be online otherwise."
      : "",
    runSentence(mirror, settings, observation),
    headSentence(mirror),
    mirror.unreachable_family === undefined
      ? ""
      : `It cannot be reached over ${familyNames[mirror.unreachable_family]}.`,
    mirror.unverified_since === undefined
      ? ""
      : `Nothing has confirmed its status since ${formatMinute(mirror.unverified_since)}.`,
  ];
  return sentences.filter(Boolean).join(" ");
}

/** `ageOf` returns how long ago a time was, in milliseconds. */
type Explain = (mirror: FeedNode, ageOf: (since: string) => number) => string;

const stateSentences: Readonly<Record<MirrorState, Explain>> = {
  online: ({ behind_since }, ageOf) => {
    const ageMs = behind_since === undefined ? 0 : ageOf(behind_since);
    return ageMs === 0 ? "" : `It is ${formatDuration(ageMs)} behind.`;
  },
  behind: ({ behind_since, lag_seconds, difference }, ageOf) => {
    const age = behind_since === undefined ? "" : ` for ${formatDuration(ageOf(behind_since))}`;
    return lag_seconds === undefined
      ? `It has been behind${age}${difference !== undefined && difference.missing > 0 ? differenceText(difference) : ": it still has the reference's earlier content"}.`
      : `It has been behind${age}: its content is ${formatDuration(lag_seconds * 1000)} older than the reference.`;
  },
  differs: ({ content_since, difference }, ageOf) => {
    const age = content_since === undefined ? "" : ` for ${formatDuration(ageOf(content_since))}`;
    return `It has differed from the reference${age}${difference === undefined ? "" : differenceText(difference)}.`;
  },
  wrong: ({ content_code = "" }) => sentenceOf(content_code),
  offline: (mirror, ageOf) => `${codeSentence(mirror)}${lastSeen(mirror, ageOf)}`,
  maintenance: ({ maintenance = "", status }) =>
    `In maintenance: ${maintenance.replace(/[.!?\s]+$/, "")}. Until it ends, the status stays ${statusNames[status]}.`,
  unknown: () => "No run has shown yet whether it is reachable.",
};

/** The reference's branch is compared, whichever branch the mirror's HEAD names. */
function headSentence({ branch, target }: FeedNode): string {
  const expected = target.reference?.branch;
  return branch === undefined || expected === undefined || branch === expected
    ? ""
    : `Its HEAD names ${branch}; the reference's names ${expected}.`;
}

const statusNames = { 0: "offline", 1: "online" } as const;

function differenceText(difference: NonNullable<FeedNode["difference"]>): string {
  const counts = (["missing", "different", "extra"] as const).flatMap((sort) =>
    difference[sort] > 0 ? [`${formatCount(difference[sort], "ref")} ${sort}`] : [],
  );
  return counts.length > 0 ? `: ${counts.join(", ")}` : "";
}

const seen: Readonly<Record<Freshness, string>> = {
  in_sync: "in sync",
  behind: "behind",
  differs: "with different content",
  unknown: "",
};

/**
 * Returns a sentence that says how long a mirror has been offline, or how fresh it was when it was last seen. Returns
 * an empty string if the mirror went offline in this run.
 */
function lastSeen(
  { since, last_freshness = "unknown", observed }: FeedNode,
  ageOf: Parameters<Explain>[1],
): string {
  const age = since === undefined ? 0 : ageOf(since);
  if (age === 0) return "";
  return seen[last_freshness] === "" || observed.code === "ok"
    ? ` It has been offline for ${formatDuration(age)}.`
    : ` It was last seen ${seen[last_freshness]} ${formatDuration(age)} ago.`;
}

/** Returns what this run saw, unless the state already says so. */
function runSentence(
  mirror: FeedNode,
  { failureThreshold, successThreshold }: Node["settings"],
  observation: Observation | undefined,
): string {
  const { state, status, code, observed, kept_online } = mirror;
  if (observed.votes !== undefined) return votesSentence(mirror, observed.votes);
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

function votesSentence(
  { state, status }: FeedNode,
  votes: NonNullable<FeedNode["observed"]["votes"]>,
): string {
  const byCode = group(votes.map(({ vantage, code }) => [code, vantage] as const));
  const texts = [...byCode].map(([code, names]) => {
    const sentence = code === "ok" ? "It answered as expected." : sentenceOf(code);
    return `From ${names.join(", ")}: ${sentence}`;
  });
  const isTied = byCode.has("ok") && vote(votes.map(({ code }) => code)) === undefined;
  if (!isTied || state === "maintenance") return texts.join(" ");
  const outcome = state === "unknown" ? "nothing is decided yet" : `it stays ${statusNames[status]}`;
  return [...texts, `The locations are tied, so ${outcome}.`].join(" ");
}
