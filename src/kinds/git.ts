import * as z from "zod";
import type { HttpResponse } from "../base/http/response.ts";
import { classifyBody, lastHeader, withoutQuery } from "./classification.ts";
import {
  type AdvertisedRef,
  type Advertisement,
  parseAdvertisement,
  parseInfoRefs,
} from "./git-advertisement.ts";
import { defaultRefs, isBranchName, listRefs, refsOption, selectRefs } from "./git-refs.ts";
import type { Classification, Kind, MirrorList } from "./kind.ts";

type OwnCode = "not_git";

const service = "git-upload-pack";
const discoveryPath = `info/refs?service=${service}`;

const options = z.object({ refs: refsOption });

/** Settings of Git that clone and fetch from the best mirror, whichever mirror a URL names. */
const list: MirrorList = {
  extension: "ini",
  type: "text/plain",
  tool: "Git",
  title: "Settings that make Git use the best mirror",
  description:
    "A file for `include.path` of Git: `url.….insteadOf` for each other mirror. Pushes still go to the mirror that they name. A URL that continues that of a mirror, such as `…/name-2` after `…/name`, is replaced too. It has no settings while no mirror is online.",
  render: ({ place, mirrors, warning }) => {
    const [best, ...others] = mirrors.map(({ url, status }) => ({ status, url: url.replace(/\/+$/, "") }));
    const head = `# The best mirror of ${place}, for include.path of Git`;
    if (best?.status !== 1) return `${head}: none is online, so Git uses each URL as it is.\n`;
    // Of all prefixes that match, Git replaces the longest one. A setting for pushes keeps them out of the others.
    const forms = others.flatMap(({ url }) => {
      const name = url.replace(/\.git$/, "");
      return [name, `${name}.git`];
    });
    const own = best.url.replace(/\.git$/, "");
    const replaced = forms.filter((form) => form !== own && form !== `${own}.git`);
    const lines = [
      `${head}.`,
      ...(warning === undefined ? [] : [`# ${warning}`]),
      ...(replaced.length > 0 ? [section(best.url)] : []),
      ...replaced.map((url) => `\tinsteadOf = ${quoted(url)}`),
      ...replaced.flatMap((url) => [section(url), `\tpushInsteadOf = ${quoted(url)}`]),
    ];
    return `${lines.join("\n")}\n`;
  },
};

/** Reachable if `git ls-remote` can read it. */
export const git: Kind<OwnCode> = {
  label: "Git repositories",
  description: "the smart-HTTP advertisement must parse.",
  codes: { not_git: "It did not answer like a Git repository." },
  options,
  content: {
    revision: { meaning: "the object id of HEAD", example: "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e" },
    branch: { meaning: "the branch HEAD names", example: "main" },
  },
  isProof: true,
  usage: { title: "Clone from the best", command: (url) => `git clone "${url}"` },
  lists: [list],
  urlProblem: withoutQuery("a Git repository", ", or probe it as http"),
  mirrorPath: (path) => path.replace(/\.git$/, ""),
  probe: async (url, given, request, { tryRequest }) => {
    const { refs: patterns = defaultRefs } = options.parse(given);
    let found: Advertisement | undefined;
    // Where a repository advertises its refs (gitprotocol-http, "Smart Clients").
    const start = new URL(`${url.replace(/\/+$/, "")}/${discoveryPath}`);
    const classify = classifyBody<OwnCode>((answer) => {
      const discovery = parseDiscovery(answer);
      if (typeof discovery === "string") return { code: discovery };
      found = discovery;
      const { refs, capabilities, version, complete } = discovery;
      const listsAll = complete && (version === 0 || version === 1);
      return {
        code: "ok",
        ...headOf(refs, valueOf(capabilities, /^symref=HEAD:(.+)$/s)),
        partial: complete ? undefined : true,
        ...(listsAll && selectRefs(refs, patterns)),
      };
    });
    const { classification, url: end } = await request(start, classify);
    if (classification.code !== "ok") return classification;
    // Git accepts a redirect only to a URL that ends as the request did. An empty fragment is none.
    const endUrl = end.href.replace(/#$/, "");
    if (!endUrl.endsWith(discoveryPath)) return { code: "redirect" };
    if (found === undefined || patterns === "HEAD") return classification;
    // A server without Git lists no HEAD: beside others it would be missing.
    if (found.version === undefined) return { ...classification, refs_unread: "unread" };
    // Most servers list all refs at once. One request more is needed if they are many, or of version 2.
    if (found.complete && found.version !== 2) return classification;
    const listUrl = new URL(endUrl.slice(0, -discoveryPath.length) + service);
    const format = valueOf(found.capabilities, /^object-format=(sha1|sha256)$/);
    const listed = await listRefs(listUrl, patterns, format, tryRequest);
    if (listed === undefined) return { ...classification, refs_unread: "unread" };
    const { refs, head, isWhole } = listed;
    return { ...classification, ...headOf(refs, head), ...selectRefs(refs, patterns, isWhole) };
  },
};

/**
 * Reads a reference discovery as `git ls-remote` does. The media type alone says whether the server is smart: then all
 * of the advertisement must be valid. An empty repository, and one whose HEAD names a missing branch, are reachable.
 */
function parseDiscovery(answer: HttpResponse): Advertisement | "not_git" | "too_large" {
  const { body, complete } = answer;
  const mediaType = lastHeader(answer, "content-type")?.split(";")[0]?.replace(/\s/g, "").toLowerCase();
  if (mediaType !== `application/x-${service}-advertisement`) {
    const refs = parseInfoRefs(body);
    return refs === undefined ? "not_git" : { refs, capabilities: [], complete };
  }
  const found = parseAdvertisement(body, service);
  // `maxBytes` ends before the first ref.
  if (found === "cut" && !complete) return "too_large";
  return typeof found === "string" || (complete && !found.complete) ? "not_git" : found;
}

/** The branch is left out if its name is longer, or none that Git accepts. */
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

function section(url: string): string {
  return `[url ${quoted(url)}]`;
}

/** Returns a text in double quotes, as Git reads it in subsections and values (git-config(1), "Syntax"). */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
