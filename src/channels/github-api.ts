import * as z from "zod";
import type { HttpResponse } from "../base/http/response.ts";
import { tryParseJson } from "../base/text/json.ts";
import { parseUrl } from "../base/text/url.ts";
import { ask, boundedWait, failed, type Refine, refused, retryAfterMs, type SendContext } from "./channel.ts";

/** A page of a hundred issues with their texts. */
const maxBytes = 16 * 1024 * 1024;

const maxPages = 10;

/** GitHub asks to wait at least this long if it does not say more. */
const limitedMs = 60_000;

const user = z.object({ id: z.number() }).nullable();

const issueSchema = z.object({
  number: z.int().min(1),
  state: z.string(),
  body: z.string().nullish(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
  user,
  comments: z.number(),
  pull_request: z.unknown().optional(),
});
const commentSchema = z.object({ body: z.string().nullish(), user: user.optional() });

export type Issue = z.infer<typeof issueSchema>;

/** All of it throws a DeliveryFailure or a ProbeFailure if it fails. */
export type IssuesApi = ReturnType<typeof issuesApi>;

/** Returns the issues of a repository by GitHub's REST API (https://docs.github.com/rest/issues). */
export function issuesApi(repository: string, token: string, context: SendContext) {
  const headers = [
    ...["accept", "application/vnd.github+json", "x-github-api-version", "2022-11-28"],
    ...["authorization", `Bearer ${token}`],
  ];
  const issuesUrl = `${context.githubApiUrl.replace(/\/+$/, "")}/repos/${repository}/issues`;
  const read = (url: URL): Promise<HttpResponse> => ask(url, { maxBytes, headers }, context, refine);
  const write = (method: "POST" | "PATCH", path: string, value: object): Promise<HttpResponse> => {
    const withType = [...headers, "content-type", "application/json"];
    const options = { method, headers: withType, body: JSON.stringify(value), maxBytes };
    return ask(new URL(`${issuesUrl}${path}`), options, context, refine);
  };

  const list = async <One>(
    path: string,
    query: Readonly<Record<string, string>>,
    schema: z.ZodType<One>,
  ): Promise<One[]> => {
    const parameters = new URLSearchParams({ ...query, per_page: "100" });
    const first = new URL(`${issuesUrl}${path}?${parameters.toString()}`);
    const found: One[] = [];
    let next: URL | undefined = first;
    for (let page = 1; next !== undefined; page += 1) {
      if (page > maxPages) throw failed(`It has more than ${maxPages} pages of issues with this label.`);
      const answer = await read(next);
      found.push(...parse(answer, z.array(schema)));
      next = nextPage(answer, first.origin);
    }
    return found;
  };

  return {
    /** Returns the issues with a label that changed since a timestamp, the newest first. */
    issues: (labels: string, since: string) => list("", { labels, state: "all", since }, issueSchema),
    /** Returns the comments of an issue that changed since a timestamp. */
    comments: (issue: number, since: string) => list(`/${issue}/comments`, { since }, commentSchema),
    create: async (issue: { title: string; body: string; labels: string[] }): Promise<Issue> =>
      parse(await write("POST", "", issue), issueSchema),
    comment: (issue: number, body: string) => write("POST", `/${issue}/comments`, { body }),
    close: (issue: number) => write("PATCH", `/${issue}`, { state: "closed", state_reason: "completed" }),
  };
}

function parse<Value>({ body, complete }: HttpResponse, schema: z.ZodType<Value>): Value {
  const parsed = schema.safeParse(complete ? tryParseJson(body.toString()) : undefined);
  if (parsed.success) return parsed.data;
  throw failed("Its answer is not that of GitHub's REST API.");
}

/** Returns the next page (RFC 8288), which is of the same origin: the token goes to no other. */
function nextPage({ headers }: HttpResponse, origin: string): URL | undefined {
  const links = [headers["link"] ?? []].flat().join(", ");
  const [, found = ""] = /<([^<>]*)>;[^<]*\brel="next"/.exec(links) ?? [];
  const next = parseUrl(found);
  return next?.origin === origin ? next : undefined;
}

/** Says more than the status: GitHub refuses requests with 403 too if there are too many (rate limits). */
const refine: Refine = (answer, now) => {
  const { status, headers, body } = answer;
  const isLimited =
    status === 429 ||
    (status === 403 &&
      (headers["x-ratelimit-remaining"] === "0" ||
        headers["retry-after"] !== undefined ||
        /rate limit/i.test(body.toString())));
  if (isLimited) {
    const reset = headers["x-ratelimit-remaining"] === "0" ? headers["x-ratelimit-reset"] : undefined;
    const untilReset = typeof reset === "string" ? boundedWait(Number(reset) * 1000 - now) : undefined;
    return failed("Its rate limit is reached.", retryAfterMs(answer, now) ?? untilReset ?? limitedMs);
  }
  const reason = reasons[status];
  if (reason === undefined) return undefined;
  return (status === 410 || status === 422 ? refused : failed)(`${reason} (HTTP status ${status}).`);
};

const reasons: Readonly<Record<number, string>> = {
  301: "The repository has another name now",
  401: "GitHub does not accept the token",
  403: "The token may not write issues of the repository",
  404: "There is no such repository, or the token may not read it",
  410: "The repository has no issues, or the issue was deleted",
  422: "GitHub does not accept the issue",
};
