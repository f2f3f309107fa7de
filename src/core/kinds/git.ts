import * as z from "../base/zod.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { classifyBody, lastHeader, queryProblem } from "./mirror-files.ts";
import {
  type AdvertisedRef,
  type Advertisement,
  parseAdvertisement,
  parseInfoRefs,
  uploadPackAt,
} from "./git-advertisement.ts";
import {
  defaultRefs,
  isBranchName,
  type ListedRefs,
  listRefs,
  type RefPatterns,
  refsOption,
  selectRefs,
} from "./git-refs.ts";
import { findMissingObject, lfsOption } from "./git-lfs.ts";
import type { Classification, Kind } from "./kind.ts";

type OwnCode = "not_git";

const service = "git-upload-pack";
const discoveryPath = `info/refs?service=${service}`;

const options = z.object({ refs: refsOption, lfs: lfsOption });

export const git: Kind<OwnCode> = {
  label: "Git repositories",
  description: "the smart-HTTP advertisement must parse.",
  codes: { not_git: "It did not answer like a Git repository." },
  options,
  content: {
    revision: { meaning: "the object id of HEAD", example: "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e" },
    branch: { meaning: "the branch HEAD points to", example: "main" },
  },
  isProof: true,
  usages: [
    { title: "Clone from the best mirror", command: (url) => `git clone "${url}"` },
    { title: "Make a clone use the best mirror", command: (url) => `git remote set-url origin "${url}"` },
  ],
  urlProblem: queryProblem,
  mirrorPath: (path) => path.replace(/\.git$/, ""),
  probe: async (url, given, request, { tryRequest, reference }) => {
    const { refs: patterns = defaultRefs, lfs } = options.parse(given);
    const comparedWith = (branch: string | undefined) => withBranch(patterns, branch, reference?.branch);
    const describe = ({ refs, head, isWhole }: ListedRefs): Omit<Classification, "code"> => {
      const tip = headOf(refs, head);
      const selected = selectRefs(refs, comparedWith(tip.branch), isWhole);
      return { ...tip, refs: undefined, refs_unread: undefined, ...selected };
    };
    let found: Advertisement | undefined;
    // A repository advertises its refs at this URL (gitprotocol-http, "Smart Clients").
    const start = new URL(`${url.replace(/\/+$/, "")}/${discoveryPath}`);
    const classify = classifyBody<OwnCode>((answer) => {
      const discovery = parseDiscovery(answer);
      if (typeof discovery === "string") return { code: discovery };
      found = discovery;
      const { refs, capabilities, version, complete } = discovery;
      const head = valueOf(capabilities, /^symref=HEAD:(.+)$/s);
      // A dumb server doesn't list HEAD, so its refs would always differ.
      const isWhole = complete && (version === 0 || version === 1);
      return { code: "ok", partial: complete ? undefined : true, ...describe({ refs, head, isWhole }) };
    });
    const { classification, url: end } = await request(start, classify, { isGit: true });
    if (classification.code !== "ok") return classification;
    // Git follows a redirect only to a URL that also ends with `discoveryPath`. It ignores an empty fragment.
    const endUrl = end.href.replace(/#$/, "");
    if (!endUrl.endsWith(discoveryPath)) return { code: "redirect" };
    const repository = endUrl.slice(0, -discoveryPath.length);
    const answered = {
      ...classification,
      moved_to: movedTo(start, end, repository),
      content_code: lfs && (await findMissingObject(repository, lfs, tryRequest)),
    };
    if (found?.version === undefined) return answered;
    const { version, complete, capabilities } = found;
    const serviceUrl = new URL(repository + service);
    const seen = { ...answered, uploadPack: uploadPackAt(serviceUrl, found) };
    const compared = comparedWith(classification.branch);
    // One request is enough, unless the list was cut off or the server uses version 2.
    if (version !== 2 && (complete || compared === "HEAD")) return seen;
    const format = valueOf(capabilities, /^object-format=(sha1|sha256)$/);
    const prefixes = compared === "HEAD" ? [] : compared;
    const listed = await listRefs(serviceUrl, prefixes, format, tryRequest);
    return listed === undefined ? seen : { ...seen, ...describe(listed) };
  },
};

/** Reads a reference discovery as `git ls-remote` does: the media type alone decides whether the server is smart. */
function parseDiscovery(answer: HttpResponse): Advertisement | "not_git" | "too_large" {
  const { body, complete } = answer;
  const mediaType = lastHeader(answer, "content-type")?.split(";")[0]?.replace(/\s/g, "").toLowerCase();
  if (mediaType !== `application/x-${service}-advertisement`) {
    const refs = parseInfoRefs(body);
    return refs === undefined ? "not_git" : { refs, capabilities: [], complete };
  }
  const found = parseAdvertisement(body, service);
  // The answer reached `maxBytes` before the first ref.
  if (found === "cut" && !complete) return "too_large";
  return typeof found === "string" || (complete && !found.complete) ? "not_git" : found;
}

/** A repository's URL, short enough for a page. */
export const repositoryPattern = /^https?:\/\/[!-~]{1,500}$/;

/** Returns the repository that a redirect leads to, unless only the scheme, a slash or `.git` is new. */
function movedTo(start: URL, end: URL, repository: string): string | undefined {
  const [from, to] = [start, end].map(
    ({ host, pathname }) => host + pathname.replace(/(\.git)?\/+info\/refs$/, ""),
  );
  const url = repository.replace(/\/+$/, "");
  return from !== to && end.search === start.search && repositoryPattern.test(url) ? url : undefined;
}

/** Adds the reference's branch to the patterns if HEAD names a different one, so that its value is known. */
function withBranch(
  patterns: RefPatterns,
  branch: string | undefined,
  wanted: string | undefined,
): RefPatterns {
  if (wanted === undefined || wanted === `refs/heads/${branch ?? ""}`) return patterns;
  return patterns === "HEAD" ? [wanted] : [...patterns, wanted];
}

/** Leaves out a branch whose name is too long or invalid. */
function headOf(refs: readonly AdvertisedRef[], head = ""): Pick<Classification, "revision" | "branch"> {
  const revision = refs.find(({ name }) => name === "HEAD")?.id;
  if (revision === undefined || /^0+$/.test(revision)) return {};
  const branch = /^refs\/heads\/(.+)$/s.exec(head)?.[1];
  return branch !== undefined && isBranchName(branch) ? { revision, branch } : { revision };
}

function valueOf(capabilities: readonly string[], pattern: RegExp): string | undefined {
  for (const capability of capabilities) {
    const value = pattern.exec(capability)?.[1];
    if (value !== undefined) return value;
  }
  return undefined;
}
