import { hasRevision } from "../../client/documents.ts";
import { check, type Mirror } from "../../client/index.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { sentenceOf } from "../../kinds/kinds.ts";
import { queryFeeds } from "../published/query.ts";
import { feedWarnings, notFoundSentence, passedOverFields, unknownSentence } from "../published/sentences.ts";
import type { Answers, Look, Problem, Source } from "./gate.ts";
import type { Wanted } from "./release-check.ts";

/** Returns a source that always reads all mirrors of a target, from the first current feed. */
export function openFeeds(
  feeds: readonly string[],
  path: string,
  { revision: wanted = "" }: Wanted,
  publicKey: string | undefined,
  context: CommandContext,
): Source {
  let answers: Answers = new Map();
  let warned = "";
  const look = async (): Promise<Look> => {
    const queried = await queryFeeds(
      "wait",
      { feeds, path, publicKey },
      // Only the report has revisions, and only `fresh` makes the report required.
      (site, means) => check(site, path, { fresh: true, ...means }),
      context,
    );
    const { result, passedOver, meant } = queried;
    const warning = feedWarnings(queried).join(" ");
    if (warning !== "" && warning !== warned) context.log(`Warning: ${warning}`);
    warned = warning;
    const skipped = passedOverFields(passedOver);
    if (result.outcome === "unknown")
      return { ...skipped, failure: { code: 4, sentence: unknownSentence(result, passedOver) } };
    if (result.outcome === "not_found") {
      const sentence = notFoundSentence(path, result, meant);
      // If the feed had the target before, its host is probably just deploying a new version.
      return { ...skipped, failure: { code: answers.size === 0 ? 2 : 4, sentence } };
    }
    const at = context.now();
    // The client lists the best mirror first, so its order would change from round to round.
    const mirrors = result.mirrors.toSorted((left, right) => left.id - right.id);
    answers = new Map(
      mirrors.map((mirror) => {
        const has = hasRevision(mirror, wanted);
        return [mirror.id, { url: mirror.url, has, ...(!has && problemOf(mirror)), at }];
      }),
    );
    return { ...skipped, answers };
  };
  return { answers, firstPauseMs: 60_000, look };
}

function problemOf({ status, state, content_code = "wrong", revision }: Mirror): Problem {
  if (state === "maintenance") return { code: "maintenance", sentence: "It is in maintenance." };
  if (status === 0) return { code: "offline", sentence: "It is offline." };
  if (state === "wrong") return { code: content_code, sentence: sentenceOf(content_code) };
  if (revision === undefined) return { code: "missing", sentence: "The feed shows no revision for it." };
  return { code: "different", sentence: `It has ${revision.slice(0, 12)}.` };
}
