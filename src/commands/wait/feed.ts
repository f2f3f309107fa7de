import { hasRevision } from "../../client/documents.ts";
import { check, type Mirror } from "../../client/index.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { sentenceOf } from "../../kinds/kinds.ts";
import { queryFeeds } from "../published/query.ts";
import { feedWarnings, notFoundSentence, passedOverFields, unknownSentence } from "../published/sentences.ts";
import type { Answers, Look, Problem, Source } from "./gate.ts";
import type { Wanted } from "./release-check.ts";

/**
 * Returns a source that uses the first current feed. In each round, it reads all of the target's mirrors, even if the
 * round asks for fewer.
 */
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
      // `fresh` makes the client require the feed's report, which is the only document with revisions.
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
      // If an earlier round found the target, the host is probably deploying a new version of the feed.
      return { ...skipped, failure: { code: answers.size === 0 ? 2 : 4, sentence } };
    }
    const at = context.now();
    // Sort by id, because the client lists the best mirror first, which can be a different one in each round.
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
