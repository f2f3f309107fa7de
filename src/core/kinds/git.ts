import * as z from "../base/zod.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { classifyWhole, lastHeader } from "./mirror-files.ts";
import { type Advertisement, parseAdvertisement, parseInfoRefs, uploadPackAt } from "./git-advertisement.ts";
import { defaultRefs, headOf, listRefs, refsOption, selectRefs, withBranch } from "./git-refs.ts";
import { described, type Kind, type TryRequest } from "./kind.ts";
import { tryParseJson } from "../base/text/json.ts";

const lfsExample = { oid: "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393", size: 12_345 };

const lfsObject = z.strictObject({
  oid: described(
    z.string().regex(/^[0-9a-f]{64}$/, {
      error: "must be the oid in a Git LFS pointer: 64 lower-case hexadecimal digits, without sha256:",
    }),
    "The object's id, as in its pointer.",
    lfsExample.oid,
  ),
  size: described(z.int().min(0), "The object's size in bytes, as in its pointer.", lfsExample.size),
});

export const lfsOption = described(
  lfsObject,
  "A Git LFS object that every mirror must have. It is asked for in each run, and not downloaded.",
  lfsExample,
).exactOptional();

/** The answer to a batch request. Only the object's error matters. */
const batchAnswer = z.object({
  objects: z.array(z.object({ oid: z.string(), error: z.object({ code: z.int() }).optional() })),
});

const lfsMediaType = "application/vnd.git-lfs+json";
const lfsHeaders = ["accept", lfsMediaType, "content-type", lfsMediaType];
const maxLfsBytes = 64 * 1024;

/** Asks the Git LFS server that belongs to a repository's URL (git-lfs, docs/api/batch.md and server-discovery.md). */
export async function findMissingObject(
  repository: string,
  { oid, size }: z.infer<typeof lfsObject>,
  tryRequest: TryRequest,
): Promise<"missing_file" | undefined> {
  const url = new URL(`${repository.replace(/(?:\.git)?\/*$/, "")}.git/info/lfs/objects/batch`);
  const body = JSON.stringify({ operation: "download", transfers: ["basic"], objects: [{ oid, size }] });
  const options = { method: "POST", headers: lfsHeaders, body, maxBytes: maxLfsBytes, isGit: true } as const;
  const found = await tryRequest(url, classifyWhole, options);
  if (found?.code !== "ok") return undefined;
  const { data } = batchAnswer.safeParse(tryParseJson(found.answer.body.toString()));
  const error = data?.objects.find((one) => one.oid === oid)?.error;
  return error?.code === 404 || error?.code === 410 ? "missing_file" : undefined;
}

const service = "git-upload-pack";
const discoveryPath = `info/refs?service=${service}`;

const options = z.object({ refs: refsOption, lfs: lfsOption });

export const git: Kind<"not_git"> = {
  label: "Git repositories",
  description: "the smart-HTTP advertisement must parse.",
  codes: { not_git: "It did not answer like a Git repository." },
  options,
  revision: { meaning: "the object id of HEAD", example: "9f2c41d07b8e5a6390d4cf1e2ab7385560c91d2e" },
  branch: { meaning: "the branch HEAD points to", example: "main" },
  isProof: true,
  usages: [
    { title: "Clone from the best mirror", command: (url) => `git clone "${url}"` },
    { title: "Make a clone use the best mirror", command: (url) => `git remote set-url origin "${url}"` },
  ],
  mirrorPath: (path) => path.replace(/\.git$/, ""),
  probe: async (url, given, request, { tryRequest, reference }) => {
    const { refs: patterns = defaultRefs, lfs } = options.parse(given);
    // A repository advertises its refs at this URL (gitprotocol-http, "Smart Clients").
    const start = new URL(`${url.replace(/\/+$/, "")}/${discoveryPath}`);
    const { answer, code, url: end } = await request(start, classifyWhole, { isGit: true });
    if (code !== "ok") return { code };
    const found = parseDiscovery(answer);
    if (typeof found === "string") return { code: found };
    // Git follows a redirect only to a URL that also ends with `discoveryPath`. It ignores an empty fragment.
    const endUrl = end.href.replace(/#$/, "");
    if (!endUrl.endsWith(discoveryPath)) return { code: "redirect" };
    const repository = endUrl.slice(0, -discoveryPath.length);
    const content_code = lfs && (await findMissingObject(repository, lfs, tryRequest));
    const { refs, version, complete, capabilities } = found;
    const head = valueOf(capabilities, /^symref=HEAD:(.+)$/s);
    // A dumb server doesn't list HEAD, so its refs would always differ.
    const first = { refs, head, isWhole: complete && (version === 0 || version === 1) };
    const advertised = headOf(first);
    const comparedWith = (branch?: string) => withBranch(patterns, reference?.branch, branch);
    const wanted = comparedWith(advertised.branch);
    const serviceUrl = new URL(repository + service);
    const format = valueOf(capabilities, /^object-format=(sha1|sha256)$/);
    // The first answer is enough, unless it was cut off or is of version 2, which lists no refs in it.
    const isAsked = version === 2 || (version !== undefined && !complete && wanted !== "HEAD");
    const listed = isAsked ? await listRefs(serviceUrl, wanted, format, tryRequest) : undefined;
    const tip = { ...advertised, ...(listed && headOf(listed)) };
    return {
      ...{ code, ...tip, content_code },
      partial: complete ? undefined : true,
      ...selectRefs(listed ?? first, comparedWith(tip.branch)),
      moved_to: movedTo(start, end, repository),
      uploadPack: uploadPackAt(serviceUrl, found),
    };
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

function valueOf(capabilities: readonly string[], pattern: RegExp): string | undefined {
  return capabilities.flatMap((one) => pattern.exec(one)?.[1] ?? [])[0];
}
