import { reasonSentences } from "../../client/reasons.ts";
import type { Failure, FreshnessReason, Mirror, Unknown } from "../../client/index.ts";
import { stateLabels } from "../../core/verdict/mirror-state.ts";
import type { ExitCode } from "../../core/base/terminal/context.ts";
import { alignedTable } from "../../core/base/terminal/table.ts";
import { formatCount } from "../../core/base/text/count.ts";
import { byFrequency } from "../../core/base/text/group.ts";
import { httpCodes } from "../../core/base/http/codes.ts";
import { ProbeFailure } from "../../core/base/http/failure.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import type { FeedResult } from "../trust/query.ts";

/** Returns the exit code for a feed that can't answer, the beginning of the message, and why. */
export function failureOf(
  result: Failure,
  target: string,
): [code: ExitCode, prefix: string, sentence: string] {
  if (result.outcome === "unknown") {
    const isOne = result.passed_over === undefined;
    return [4, "Unknown: ", isOne ? reasonSentence(result) : "None of the feeds can be used."];
  }
  const { level } = result;
  if (level !== "unknown") return [2, "Not found: ", `The feed has no such ${level}: ${target}.`];
  // The user may have given the URL of a folder above the feed, on a server whose 404 answers all have the contract's
  // form.
  const sentence = `The feed has no such system, project or target: ${target}. Check the path in the URL of the feed.`;
  return [2, "Not found: ", sentence];
}

function reasonSentence({ reason, cause }: Pick<Unknown, "reason" | "cause">): string {
  const detail = cause instanceof ProbeFailure ? ` ${httpCodes[cause.code]}` : "";
  return reasonSentences[reason] + detail;
}

const freshnessReasons: Readonly<Record<FreshnessReason, string>> = {
  no_reference: "the target has no primary, and no revision that most mirrors share",
  no_revision: "no revision was ever read",
  other_branch: "HEAD is on a different branch than the reference's",
  undecided: "the feed cannot tell yet",
};

/** Returns a sentence for each reason why the freshness of reachable mirrors is unknown. */
export function freshnessSentences(mirrors: readonly Mirror[]): string[] {
  const reachable = mirrors.filter(({ status }) => status === 1);
  const reasons = reachable.flatMap(
    ({ unverified_since, freshness = "unknown", freshness_reason = "undecided" }) => {
      if (unverified_since !== undefined) return "the status is unconfirmed";
      return freshness === "unknown" ? freshnessReasons[freshness_reason] : [];
    },
  );
  return byFrequency(reasons).map(
    ([reason, count]) => `The freshness of ${formatCount(count, "mirror")} is unknown: ${reason}.`,
  );
}

/** Returns a sentence for each feed that was not used, and for an old answer. */
export function feedWarnings(result: FeedResult): string[] {
  const { feed, instead_of, generated_at, expires_at, stale, passed_over = [] } = result;
  const skipped = passed_over.map((one) => `${one.url}: ${reasonSentence(one)}`);
  if (instead_of !== undefined && generated_at !== undefined && expires_at !== undefined) {
    const [head, answer] =
      skipped.length > 0
        ? ["None of the feeds is current.", `the answer that ${feed} published at ${generated_at}`]
        : [reasonSentences[instead_of], `its answer of ${generated_at}`];
    skipped.push(`${head} Using ${answer}, which ${stale ? "expired at" : "is valid until"} ${expires_at}.`);
  }
  return skipped;
}

/** Returns the fields that every `--json` document has. */
export function feedFields({ feed, ...result }: FeedResult) {
  const passed_over = result.passed_over?.map(({ url, reason }) => ({ url, reason }));
  return { url: feed, ...result, cause: undefined, passed_over };
}

export function wrongSentence({ state, content_code = "", url }: Mirror): string | undefined {
  if (state === "behind") return `${url} is behind: its content is older than the reference's.`;
  if (state === "differs") return `${url} differs: its content does not match the reference.`;
  return state === "wrong"
    ? `${url} is reachable, but its content is wrong. ${sentenceOf(content_code)}`
    : undefined;
}

const maxRows = 50;

export function mirrorTable(mirrors: readonly Mirror[]): string {
  const rows = mirrors.slice(0, maxRows).map((mirror) => {
    const { status, state = status === 1 ? "online" : "offline", mean_latency_ms, url } = mirror;
    return [
      `  ${stateLabels[state].label}`,
      describe(mirror),
      // An untrusted feed may contain any number.
      Number.isSafeInteger(mean_latency_ms) ? `${Number(mean_latency_ms)} ms` : "",
      url,
    ];
  });
  const more = mirrors.length - rows.length;
  return alignedTable([...rows, ...(more > 0 ? [`  and ${more} more`] : [])], [2]);
}

/** Returns what is known about a mirror beyond its state. */
function describe({ state, status, freshness, content_code, unverified_since }: Mirror): string {
  return [
    status === 1 && (content_code ?? (freshness === "in_sync" ? "in sync" : "")),
    state === "maintenance" && (status === 1 ? "kept online" : "kept offline"),
    unverified_since && `unverified since ${unverified_since}`,
  ]
    .filter(Boolean)
    .join(", ");
}
