import { createHash } from "node:crypto";
import { InputError } from "../../core/base/errors.ts";
import { ProbeFailure } from "../../core/base/http/failure.ts";
import { quote } from "../../core/base/text/quote.ts";
import type { Node, NodeSettings } from "../../core/config/nodes.ts";
import { classifyStatus, classifyWhole } from "../../core/kinds/classification.ts";
import type { Kind } from "../../core/kinds/kind.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import { fileUrl, isPage, isRefused } from "../../core/kinds/mirror-files.ts";
import type { Observation } from "../../core/probe/observation.ts";
import type { RefSet } from "../../core/probe/ref-set.ts";
import type { Problem } from "./gate.ts";

/** What to wait for: exactly one of a ref, a path and a revision. */
export interface Wanted {
  readonly ref?: string | undefined;
  readonly path?: string | undefined;
  /** The digest of the file at the path, in lower-case hexadecimal digits. */
  readonly sha256?: string | undefined;
  /** May be abbreviated. */
  readonly revision?: string | undefined;
}

/** How a probe tells whether a mirror has a release. */
export interface ReleaseCheck {
  /** Returns settings that replace the node's own settings. */
  readonly settingsOf?: (node: Node) => Partial<NodeSettings>;
  /** Whether there is time left to probe a mirror (default: yes). */
  readonly hasTime?: (node: Node) => boolean;
  /**
   * Returns the revision, object or file that a mirror has, or what is wrong. Returns undefined if the probe's code
   * already says what is wrong.
   */
  readonly read: (seen: Observation, refs: RefSet | undefined) => string | Problem | undefined;
}

const missing: Problem = { code: "missing", sentence: "It does not have the release yet." };

const revisionCheck: ReleaseCheck = {
  read: ({ code, content_code, revision }) => {
    if (content_code !== undefined) return { code: content_code, sentence: sentenceOf(content_code) };
    return code === "ok"
      ? (revision ?? { code: "missing", sentence: "Its answer contains no revision." })
      : undefined;
  },
};

/** Downloads end at `endsAt` (epoch milliseconds). Throws InputError if `nodes` can't be probed for this release. */
export function releaseCheck(
  { ref, path, sha256 }: Wanted,
  nodes: readonly Node[],
  endsAt: number,
  now: () => number,
): ReleaseCheck {
  if (ref !== undefined) return refCheck(ref, nodes);
  return path === undefined ? revisionCheck : fileCheck(path, sha256, endsAt, now);
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
    settingsOf: () => ({ options: { refs } }),
    read: ({ code, refs_unread }, advertised) => {
      if (code !== "ok") return undefined;
      if (refs_unread !== undefined) return { code: "unread", sentence: "Its refs could not be read." };
      return refs.map((name) => advertised?.get(name)).find((id) => id !== undefined) ?? missing;
    },
  };
}

/** Larger than any file of a release. Cuts off endless answers. */
const maxFileBytes = 64 * 1024 ** 3;
const maxDownloadMs = 3_600_000;

function fileCheck(
  path: string,
  sha256: string | undefined,
  endsAt: number,
  now: () => number,
): ReleaseCheck {
  // Once a mirror's file has been downloaded and verified, later rounds only check that the file exists.
  const verified = new Set<string>();
  const isUnread = ({ url }: Pick<Node, "url">): boolean => sha256 !== undefined && !verified.has(url);
  const probeWithin =
    (silentMs: number): Kind["probe"] =>
    async (url, _, request) => {
      // Object stores such as S3 read a plus as a space.
      const file = fileUrl(url, path.replaceAll("+", "%2B"));
      if (!isUnread({ url })) {
        let found = await request(file, classifyStatus, { method: "HEAD" });
        if (isRefused(found)) found = await request(file, classifyStatus);
        // Some servers answer 200 with a page for files that they don't have.
        const isOther = isPage(found.answer) && !/(?:\.html?|\/)$/i.test(path);
        return isOther ? { code: "wrong_content" } : found.classification;
      }
      const digest = createHash("sha256");
      let timer: ReturnType<typeof setTimeout> | undefined;
      // A download may take up to an hour. Without this second limit, a mirror that stops sending would delay the other
      // downloads for that long.
      const silence = new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          reject(new ProbeFailure("timeout"));
        }, silentMs);
      });
      const download = request(file, classifyWhole, {
        keepEncoding: true,
        maxBytes: maxFileBytes,
        readBody: async (chunks) => {
          for await (const chunk of chunks) {
            timer?.refresh();
            digest.update(chunk);
            // If the download had to wait for others before it started, its own time limit ends after `endsAt`.
            if (now() > endsAt) throw new ProbeFailure("timeout", { phase: "body" });
          }
        },
      });
      const { classification } = await Promise.race([download, silence]).finally(() => {
        clearTimeout(timer);
      });
      if (classification.code !== "ok") return classification;
      if (digest.digest("hex") !== sha256) return { code: "wrong_content" };
      verified.add(url);
      return classification;
    };
  return {
    // The last round starts at the deadline. A download could no longer finish, and its failure would hide what an
    // earlier download found.
    hasTime: (node) => !isUnread(node) || now() < endsAt,
    settingsOf: (node) => {
      const timeoutMs = Math.min(maxDownloadMs, Math.max(1000, endsAt - now()));
      const download = { timeoutMs, attempts: 1, isDownload: true };
      const probe = probeWithin(node.settings.timeoutMs);
      return { kind: "http", options: {}, probe, ...(isUnread(node) && download) };
    },
    read: ({ code, http_status }) => {
      if (http_status === 404 || http_status === 410) return missing;
      return code === "ok" ? path : undefined;
    },
  };
}
