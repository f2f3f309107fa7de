import * as z from "zod";
import type { HttpResponse } from "../base/http/response.ts";
import type { RequestOptions } from "../base/http/transport.ts";
import { tryParseJson } from "../base/text/json.ts";
import { parseUrl } from "../base/text/url.ts";
import type { SendContext } from "./channel.ts";
import { ask, boundedWait, DeliveryFailure, failed, type Refine, retryAfterMs } from "./delivering.ts";

/** A page of a hundred issues with their texts. */
const maxBytes = 16 * 1024 * 1024;

/** How many pages of a list are read. */
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
export type Comment = z.infer<typeof commentSchema>;

/** What the channel does with the issues of a repository. All of it throws a DeliveryFailure or a ProbeFailure if it fails. */
export interface IssuesApi {
  /** Returns the issues with a label that changed since a timestamp, the newest first. */
  readonly issues: (label: string, since: string) => Promise<Issue[]>;
  /** Returns the comments of an issue that changed since a timestamp. */
  readonly comments: (issue: number, since: string) => Promise<Comment[]>;
  readonly create: (issue: { title: string; body: string; labels: string[] }) => Promise<Issue>;
  readonly comment: (issue: number, body: string) => Promise<void>;
  /** Closes an issue as completed. */
  readonly close: (issue: number) => Promise<void>;
}

/** Returns the issues of a repository by GitHub's REST API (https://docs.github.com/rest/issues). */
export function issuesApi(
  { apiUrl, repository }: { readonly apiUrl: string; readonly repository: string },
  token: string,
  context: SendContext,
): IssuesApi {
  const headers = [
    ...["accept", "application/vnd.github+json", "x-github-api-version", "2022-11-28"],
    ...["authorization", `Bearer ${token}`],
  ];
  const issues = new URL(`${apiUrl.replace(/\/+$/, "")}/repos/${repository}/issues`);
  const request = (url: URL, options: RequestOptions = {}): Promise<HttpResponse> =>
    ask(url, { maxBytes, ...options, headers: [...headers, ...(options.headers ?? [])] }, context, refine);
  const write = (method: "POST" | "PATCH", url: URL, value: object): Promise<HttpResponse> =>
    request(url, { method, headers: ["content-type", "application/json"], body: JSON.stringify(value) });
  const at = (path: string): URL => new URL(`${issues.href}/${path}`);

  const list = async <One>(first: URL, schema: z.ZodType<One>): Promise<One[]> => {
    const found: One[] = [];
    let next: URL | undefined = first;
    for (let page = 1; next !== undefined; page += 1) {
      if (page > maxPages) throw failed(`It has more than ${maxPages} pages of issues with this label.`);
      const answer = await request(next);
      found.push(...parse(answer, z.array(schema)));
      next = nextPage(answer, first.origin);
    }
    return found;
  };

  return {
    issues: (labels, since) => {
      const query = new URLSearchParams({ labels, state: "all", since, per_page: "100" });
      return list(new URL(`${issues.href}?${query.toString()}`), issueSchema);
    },
    comments: (issue, since) => {
      const query = new URLSearchParams({ since, per_page: "100" });
      return list(at(`${issue}/comments?${query.toString()}`), commentSchema);
    },
    create: async (issue) => parse(await write("POST", issues, issue), issueSchema),
    comment: async (issue, body) => {
      await write("POST", at(`${issue}/comments`), { body });
    },
    close: async (issue) => {
      await write("PATCH", at(`${issue}`), { state: "closed", state_reason: "completed" });
    },
  };
}

function parse<Value>({ body, complete }: HttpResponse, schema: z.ZodType<Value>): Value {
  const parsed = schema.safeParse(complete ? tryParseJson(body.toString()) : undefined);
  if (parsed.success) return parsed.data;
  throw new DeliveryFailure({ outcome: "failed", reason: "Its answer is not that of GitHub's REST API." });
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
    const wait = retryAfterMs(answer, now) ?? untilReset ?? limitedMs;
    return { outcome: "failed", reason: "Its rate limit is reached.", retryAfterMs: wait };
  }
  const reason = reasons[status];
  return reason === undefined
    ? undefined
    : {
        outcome: status === 410 || status === 422 ? "refused" : "failed",
        reason: `${reason} (HTTP status ${status}).`,
      };
};

const reasons: Readonly<Record<number, string>> = {
  301: "The repository has another name now",
  401: "GitHub does not accept the token",
  403: "The token may not write issues of the repository",
  404: "There is no such repository, or the token may not read it",
  410: "The repository has no issues, or the issue was deleted",
  422: "GitHub does not accept the issue",
};
