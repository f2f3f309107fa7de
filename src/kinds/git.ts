import * as z from "zod";
import type { HttpResponse } from "../base/http/response.ts";
import { hasQuery } from "../base/text/url.ts";
import { classifyBody, lastHeader } from "./classification.ts";
import {
  type AdvertisedRef,
  type Advertisement,
  parseAdvertisement,
  parseInfoRefs,
} from "./git-advertisement.ts";
import { gitList } from "./git-list.ts";
import {
  defaultRefs,
  listRequest,
  parseListedRefs,
  type RefPatterns,
  refsOption,
  selectRefs,
} from "./git-refs.ts";
import type { Classification, Kind } from "./kind.ts";

type OwnCode = "not_git";

const service = "git-upload-pack";
const discoveryPath = `info/refs?service=${service}`;

const options = z.object({ refs: refsOption });

/** A Git repository. It is reachable if `git ls-remote` can read it. */
export const git: Kind<OwnCode> = {
  description: "the smart-HTTP advertisement must parse.",
  codes: { not_git: "Its answer is not that of a Git repository." },
  options,
  content: {
    revision: { meaning: "the object id of HEAD", example: "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e" },
    branch: { meaning: "the branch HEAD names", example: "main" },
  },
  isProof: true,
  usage: { title: "Clone from the best", command: (url) => `git clone "${url}"` },
  lists: [gitList],
  urlProblem: (url) =>
    hasQuery(url) ? "a Git repository has no query; remove it from the ? on, or probe it as http" : undefined,
  mirrorPath: (path) => path.replace(/\.git$/, ""),
  probe: async (url, given, request, { tryRequest }) => {
    const { refs: patterns = defaultRefs } = options.parse(given);
    let found: Discovery | undefined;
    // Where a repository advertises its refs (gitprotocol-http, "Smart Clients").
    const start = new URL(`${url.replace(/\/+$/, "")}/${discoveryPath}`);
    const classify = classifyBody<OwnCode>((answer) => {
      const discovery = discover(answer);
      if ("code" in discovery) return discovery;
      found = discovery;
      return classifyRefs(found, patterns);
    });
    const { classification, url: end } = await request(start, classify);
    if (classification.code !== "ok") return classification;
    // Git accepts a redirect only to a URL that ends as the request did.
    if (!end.href.endsWith(discoveryPath)) return { code: "redirect" };
    if (found === undefined || patterns === "HEAD") return classification;
    // A server without Git lists no HEAD: beside others it would be missing.
    if (found.version === undefined) return { ...classification, refs_unread: "unread" };
    // Most servers list all refs at once. One request more is needed if they are many, or of version 2.
    if (found.complete && found.version !== 2) return classification;
    const to = new URL(end.href.slice(0, -discoveryPath.length) + service);
    let listed: ReturnType<typeof parseListedRefs>;
    await tryRequest(
      to,
      (answer) => {
        if (!answer.complete && !answer.bounded && answer.status === 200) return undefined;
        listed = parseListedRefs(answer);
        return { code: "ok" };
      },
      listRequest(patterns, valueOf(found.capabilities, /^object-format=(sha1|sha256)$/)),
    );
    if (listed === undefined || listed === "long") {
      return { ...classification, refs_unread: listed === "long" ? "too_many" : "unread" };
    }
    return {
      ...classification,
      ...headOf(listed.refs, listed.head),
      ...selectRefs(listed.refs, patterns),
    };
  },
};

/** What a server says of a repository. One without Git has no protocol version. */
interface Discovery extends Omit<Advertisement, "version"> {
  readonly version?: Advertisement["version"];
}

/**
 * Reads a good answer to a reference discovery as `git ls-remote` does. Git accepts every status below 300. The media
 * type alone says whether the server is smart: then all of the advertisement must be valid. Any other answer must be the
 * `info/refs` of a server without Git. An empty repository, and one whose HEAD names a missing branch, are reachable.
 */
function discover(answer: HttpResponse): Discovery | Classification<OwnCode> {
  const mediaType = lastHeader(answer, "content-type")?.split(";")[0]?.replace(/\s/g, "").toLowerCase();
  return mediaType === `application/x-${service}-advertisement`
    ? discoverSmart(answer)
    : discoverDumb(answer);
}

const notGit: Classification<OwnCode> = { code: "not_git" };

function discoverSmart({ body, complete }: HttpResponse): Discovery | Classification<OwnCode> {
  const found = parseAdvertisement(body, service);
  if (found === "invalid" || (complete && (found === "cut" || !found.complete))) return notGit;
  // `maxBytes` ends before the first ref.
  return found === "cut" ? { code: "too_large" } : found;
}

function discoverDumb({ body, complete }: HttpResponse): Discovery | Classification<OwnCode> {
  const refs = parseInfoRefs(body);
  return refs === undefined ? notGit : { refs, capabilities: [], complete };
}

function classifyRefs(
  { refs, capabilities, version, complete }: Discovery,
  patterns: RefPatterns,
): Classification {
  const listsAll = complete && (version === 0 || version === 1);
  return {
    code: "ok",
    ...headOf(refs, valueOf(capabilities, /^symref=HEAD:(.+)$/s)),
    ...(complete ? {} : { partial: true }),
    ...(listsAll ? selectRefs(refs, patterns) : {}),
  };
}

/** Returns the object id of HEAD, and the branch that it names unless that is longer than a state keeps. */
function headOf(refs: readonly AdvertisedRef[], head = ""): Pick<Classification, "revision" | "branch"> {
  const revision = refs.find(({ name }) => name === "HEAD")?.id;
  if (revision === undefined || /^0+$/.test(revision)) return {};
  const branch = /^refs\/heads\/(.{1,1000})$/s.exec(head)?.[1];
  return branch === undefined ? { revision } : { revision, branch };
}

/** Returns the first group of the first capability that matches. */
function valueOf(capabilities: readonly string[], pattern: RegExp): string | undefined {
  for (const capability of capabilities) {
    const value = pattern.exec(capability)?.[1];
    if (value !== undefined) return value;
  }
  return undefined;
}
