import { createHash } from "node:crypto";
import { InputError } from "../../base/errors.ts";
import { ProbeFailure } from "../../base/http/failure.ts";
import { quote } from "../../base/text/quote.ts";
import type { Node, NodeSettings } from "../../config/nodes.ts";
import { classifyStatus, classifyWhole } from "../../kinds/classification.ts";
import type { Kind } from "../../kinds/kind.ts";
import { sentenceOf } from "../../kinds/kinds.ts";
import { fileUrl, isPage, isRefused } from "../../kinds/mirror-files.ts";
import type { Observation } from "../../probe/observation.ts";
import type { RefSet } from "../../probe/ref-set.ts";
import type { Problem } from "./gate.ts";

/** What is waited for: exactly one of a ref, a path and a revision. */
export interface Wanted {
  readonly ref?: string | undefined;
  readonly path?: string | undefined;
  /** The digest of the file at the path, in lower-case hexadecimal digits. */
  readonly sha256?: string | undefined;
  /** May be shortened. */
  readonly revision?: string | undefined;
}

/** How a probe tells whether a mirror has a release. Omitted fields are as in every probe. */
export interface ReleaseCheck {
  readonly settingsOf?: (node: Node) => Partial<NodeSettings>;
  /** Returns the revision, object or file that a mirror has, or what is wrong; undefined if the code says that. */
  readonly read: (seen: Observation, refs: RefSet | undefined) => string | Problem | undefined;
}

const missing: Problem = { code: "missing", sentence: "It does not have it yet." };

const revisionCheck: ReleaseCheck = {
  read: ({ code, content_code, revision }) => {
    if (content_code !== undefined) return { code: content_code, sentence: sentenceOf(content_code) };
    return code === "ok" ? (revision ?? { code: "missing", sentence: "It shows no revision." }) : undefined;
  },
};

/** Returns the check for what is wanted until a time. Throws InputError if these mirrors cannot tell. */
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
  // Branches move: without a primary, mirrors that agree on an old commit would count.
  const hasPrimary = nodes.some(({ primary }) => primary);
  const refs = names.filter((name) => hasPrimary || !name.startsWith("refs/heads/"));
  if (refs.length === 0)
    throw new InputError(
      `No primary tells where ${quote(ref)} should be; set the primary of the target, or name the commit with --revision.`,
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

/** Nothing but an endless file is longer. */
const maxFileBytes = 64 * 1024 ** 3;
const maxDownloadMs = 3_600_000;

function fileCheck(
  path: string,
  sha256: string | undefined,
  endsAt: number,
  now: () => number,
): ReleaseCheck {
  // A file is read once. After that it only has to be there.
  const verified = new Set<string>();
  const isUnread = ({ url }: Pick<Node, "url">): boolean => sha256 !== undefined && !verified.has(url);
  const probeWithin =
    (silentMs: number): Kind["probe"] =>
    async (url, _, request) => {
      // Buckets take a plus for a blank.
      const file = fileUrl(url, path.replaceAll("+", "%2B"));
      if (!isUnread({ url })) {
        let found = await request(file, classifyStatus, { method: "HEAD" });
        if (isRefused(found)) found = await request(file, classifyStatus);
        // Some servers answer with a page for whatever they lack.
        const isOther = isPage(found.answer) && !/(?:\.html?|\/)$/i.test(path);
        return isOther ? { code: "wrong_content" } : found.classification;
      }
      const digest = createHash("sha256");
      let timer: ReturnType<typeof setTimeout> | undefined;
      // A download has hours, and a silent mirror would hold up all others.
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
            // It may have waited for those before it.
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
