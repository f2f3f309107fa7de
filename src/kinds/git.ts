import type { HttpResponse } from "../http/response.ts";
import { hasQuery } from "../text/url.ts";
import { classifyStatus, lastHeader } from "./classification.ts";
import { type AdvertisedRef, parseAdvertisement, parseInfoRefs } from "./git-advertisement.ts";
import type { Classification, Classify, Kind } from "./kind.ts";

type OwnCode = "not_git";

const service = "git-upload-pack";
const discoveryPath = `info/refs?service=${service}`;

/** A Git repository. It is reachable if `git ls-remote` can read it. */
export const git: Kind<OwnCode> = {
  description: "the smart-HTTP advertisement must parse.",
  codes: { not_git: "Its answer is not that of a Git repository." },
  content: {
    revision: { meaning: "the object id of HEAD", example: "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e" },
    branch: { meaning: "the branch HEAD names", example: "main" },
  },
  isProof: true,
  usage: { title: "Clone from the best", command: (url) => `git clone "${url}"` },
  urlProblem: (url) =>
    hasQuery(url) ? "a Git repository has no query; remove it from the ? on, or probe it as http" : undefined,
  mirrorPath: (path) => path.replace(/\.git$/, ""),
  probe: async (url, _, request) => {
    const { classification, url: end } = await request(discoveryUrl(url), classifyGit);
    return classification.code === "ok" && !isDiscoveryUrl(end) ? { code: "redirect" } : classification;
  },
};

/** Returns where a repository advertises its refs (gitprotocol-http, "Smart Clients"). */
function discoveryUrl(repository: string): URL {
  return new URL(`${repository.replace(/\/+$/, "")}/${discoveryPath}`);
}

/** Returns whether Git accepts a redirect to this URL. It must end as the request did. */
function isDiscoveryUrl(url: URL): boolean {
  return url.href.endsWith(discoveryPath);
}

/**
 * Classifies the answer to a reference discovery as `git ls-remote` does. Git accepts every status below 300. The media
 * type alone says whether the server is smart: then all of the advertisement must be valid. Any other answer must be the
 * `info/refs` of a server without Git. An empty repository, and one whose HEAD names a missing branch, are reachable.
 */
export const classifyGit: Classify<OwnCode> = (answer) => {
  const byStatus = classifyStatus(answer);
  if (byStatus.code !== "ok") return byStatus;
  if (!answer.complete && !answer.bounded) return undefined;
  const mediaType = lastHeader(answer, "content-type")?.split(";")[0]?.replace(/\s/g, "").toLowerCase();
  return mediaType === `application/x-${service}-advertisement`
    ? classifySmart(answer)
    : classifyDumb(answer);
};

const notGit: Classification<OwnCode> = { code: "not_git" };

function classifySmart({ body, complete }: HttpResponse): Classification<OwnCode> {
  const found = parseAdvertisement(body, service);
  if (found === "invalid" || (complete && (found === "cut" || !found.complete))) return notGit;
  // `maxBytes` ends before the first ref.
  if (found === "cut") return { code: "too_large" };
  return reachable(found.refs, !found.complete, headBranch(found.capabilities));
}

function classifyDumb({ body, complete }: HttpResponse): Classification<OwnCode> {
  const refs = parseInfoRefs(body);
  return refs === undefined ? notGit : reachable(refs, !complete);
}

function reachable(refs: readonly AdvertisedRef[], isPartial: boolean, branch?: string): Classification {
  const head = refs.find(({ name }) => name === "HEAD");
  const revision = head === undefined || /^0+$/.test(head.id) ? undefined : head.id;
  return {
    code: "ok",
    ...(revision === undefined ? {} : { revision }),
    ...(revision === undefined || branch === undefined ? {} : { branch }),
    ...(isPartial ? { partial: true } : {}),
  };
}

/** Returns the branch that HEAD names; undefined if it is longer than a state keeps. */
function headBranch(capabilities: readonly string[]): string | undefined {
  for (const capability of capabilities) {
    const branch = /^symref=HEAD:refs\/heads\/(.{1,1000})$/s.exec(capability)?.[1];
    if (branch !== undefined) return branch;
  }
  return undefined;
}
