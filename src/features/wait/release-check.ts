import { InputError } from "../../core/base/errors.ts";
import { quote } from "../../core/base/text/quote.ts";
import type { Node, NodeSettings } from "../../core/config/nodes.ts";
import { fileUrl, isPage, sizeByHead, tryHead } from "../../core/kinds/mirror-files.ts";
import type { Kind } from "../../core/kinds/kind.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";
import type { RefSet } from "../../core/probe/ref-set.ts";
import { formatCount } from "../../core/base/text/count.ts";

/** What to wait for: exactly one of a ref, a path and a revision. */
export interface Wanted {
  readonly ref?: string | undefined;
  readonly path?: string | undefined;
  /** The file's size in bytes. */
  readonly size?: number | undefined;
  /** May be abbreviated. */
  readonly revision?: string | undefined;
}

/** How a probe tells whether a mirror has a release. */
export interface ReleaseCheck {
  /** Replaces the node's own settings. */
  readonly settings: Partial<NodeSettings>;
  /**
   * Returns the revision, object or file that a mirror has, or what is wrong. Returns undefined if the probe's code
   * already says what is wrong.
   */
  readonly read: (seen: Observation, refs: RefSet | undefined) => string | Problem | undefined;
}

const missing: Problem = { code: "missing", sentence: "It does not have the release yet." };

const revisionCheck: ReleaseCheck = {
  settings: {},
  read: ({ code, content_code, revision }) => {
    if (content_code !== undefined) return { code: content_code, sentence: sentenceOf(content_code) };
    return code === "ok"
      ? (revision ?? { code: "missing", sentence: "Its answer contains no revision." })
      : undefined;
  },
};

/** Throws InputError if `nodes` can't be probed for this release. */
export function releaseCheck({ ref, path, size }: Wanted, nodes: readonly Node[]): ReleaseCheck {
  if (ref !== undefined) return refCheck(ref, nodes);
  return path === undefined ? revisionCheck : fileCheck(path, size);
}

function refCheck(ref: string, nodes: readonly Node[]): ReleaseCheck {
  const other = nodes.find(({ settings }) => settings.kind !== "git");
  if (other !== undefined)
    throw new InputError(
      `--ref is for Git mirrors, and ${quote(other.url)} is probed as ${other.settings.kind}; use --path or --revision.`,
    );
  const names = ref.startsWith("refs/") ? [ref] : [`refs/tags/${ref}`, `refs/heads/${ref}`];
  // Without a primary, branches are not compared, because mirrors that agree on an old commit would seem to have the
  // release.
  const hasPrimary = nodes.some(({ primary }) => primary);
  const refs = names.filter((name) => hasPrimary || !name.startsWith("refs/heads/"));
  if (refs.length === 0)
    throw new InputError(
      `The target has no primary to compare ${quote(ref)} with; set its primary, or name the commit with --revision.`,
    );
  return {
    settings: { options: { refs } },
    read: ({ code, refs_unread }, advertised) => {
      if (code !== "ok") return undefined;
      if (refs_unread !== undefined) return { code: "unread", sentence: "Its refs could not be read." };
      return refs.map((name) => advertised?.get(name)).find((id) => id !== undefined) ?? missing;
    },
  };
}

function fileCheck(path: string, size: number | undefined): ReleaseCheck {
  const probe: Kind["probe"] = async (url, _, request) => {
    // Object stores such as S3 read a plus as a space.
    const { answer, code } = await tryHead(fileUrl(url, path.replaceAll("+", "%2B")), request);
    // Some servers answer 200 with a page for files that they don't have.
    const isOther = isPage(answer) && !/(?:\.html?|\/)$/i.test(path);
    return isOther ? { code: "wrong_content" } : { code, revision: sizeByHead(answer)?.toString() };
  };
  return {
    settings: { kind: "http", options: {}, probe },
    read: ({ code, http_status, revision: found }) => {
      if (http_status === 404 || http_status === 410) return missing;
      if (code !== "ok") return undefined;
      if (size === undefined || found === String(size)) return path;
      const sentence =
        found === undefined ? "It does not say how large the file is." : `The file has ${found} bytes.`;
      return { code: "wrong_size", sentence };
    },
  };
}

/** How many mirrors must have the release. */
export type Minimum = { readonly count: number } | { readonly percent: number };

/** Why a mirror does not count: a code from a probe or from `wait`, and a sentence for people. */
export interface Problem {
  readonly code: string;
  readonly sentence: string;
}

/** A mirror's last answer. It contains a problem unless the mirror has the release. */
export interface Answer extends Partial<Problem> {
  readonly id: number;
  readonly url: string;
  readonly has: boolean;
}

/** Returns how many of `total` mirrors must have the release. Throws InputError if that is more than `total`. */
export function required(min: Minimum, total: number): number {
  const count = "count" in min ? min.count : Math.ceil((total * min.percent) / 100);
  if (count <= total) return count;
  throw new InputError(
    `The target has only ${formatCount(total, "mirror")}, fewer than --min requires; lower --min.`,
  );
}

export function countHaving(answers: readonly Answer[]): number {
  return answers.filter(({ has }) => has).length;
}

const firstPauseMs = 30_000;
const maxPauseMs = 600_000;

/**
 * Returns the pause after a round, in milliseconds. Pauses double up to ten minutes, and `random` (0 to 1) lengthens
 * each by up to a quarter.
 */
export function pauseAfter(rounds: number, random: number): number {
  return Math.min(maxPauseMs, firstPauseMs * 2 ** (rounds - 1)) * (1 + random / 4);
}
