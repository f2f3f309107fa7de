import * as z from "zod";
import type { HttpResponse } from "../../../core/base/http/response.ts";
import { group } from "../../../core/base/text/group.ts";
import { tryParseJson } from "../../../core/base/text/json.ts";
import { parseUrl } from "../../../core/base/text/url.ts";
import { channelTypes } from "../../../core/config/channels.ts";
import {
  ask,
  boundedWait,
  channelOf,
  failed,
  type Refine,
  refused,
  retryAfterMs,
  type SendContext,
} from "./channel.ts";
import { chatLine } from "./chat-text.ts";
import { markdownText, renderMarkdown } from "./chat-markdown.ts";
import type { Message, MessageEvent } from "./message.ts";

/** How far the clocks of GitHub and this machine may be apart. */
const skewMs = 24 * 60 * 60 * 1000;

/** GitHub accepts 256 characters. */
const maxTitleLength = 200;

export const github = channelOf(channelTypes.github.options, {
  read: ({ tokenEnv, label, repository }, { secret, githubApiUrl }) => {
    const token = secret(tokenEnv).trim();
    if (!/^[\x21-\x7e]{1,1000}$/.test(token))
      throw failed(`${tokenEnv} does not hold a token; set it to one that may write issues.`);
    if (!URL.canParse(githubApiUrl))
      throw failed("GITHUB_API_URL does not hold a URL; set it to one such as https://api.github.com.");
    return { token, label, repository };
  },
  send: async (message, { token, label, repository }, context) => {
    const api = issuesApi(repository, token, context);
    const bySubject = group(
      message.events.flatMap((event) => subjectOf(event, message).map((id) => [id, event] as const)),
    );
    if (bySubject.size === 0) return undefined;
    const known = await issuesOf(api, label, message);
    for (const [subject, events] of bySubject) {
      if (message.phase === "end") {
        // If there is no issue, someone deleted it or removed its label.
        for (const { issue, subject: own } of known)
          if (own === subject && issue.state === "open") await close(api, issue, events, message);
      } else if (!known.some(({ opener }) => opener === message.id)) await open(api, label, subject, message);
    }
    return undefined;
  },
});

/**
 * Returns the id that marks the issue of an event: the event's own id or, if the event began in a digest, the digest's
 * id. Returns no id if the event is over but other events of its digest are not.
 */
function subjectOf({ id, digest }: MessageEvent, { phase }: Message): string[] {
  if (digest === undefined) return [id];
  return phase === "begin" || digest.isOver ? [digest.id] : [];
}

/** Returns the issues that may be about a message, each with the two ids that its first line contains. */
async function issuesOf(api: IssuesApi, label: string, { phase, at, events }: Message) {
  // An issue is never older than its message, and a message never older than its events.
  const times = phase === "begin" ? [at] : events.map(({ since }) => since);
  const issues = await api.issues(label, earlier(Math.min(...times.map((time) => Date.parse(time)))));
  return issues.flatMap((issue) => {
    const marker = /^<!-- mirrorfeed ([0-9a-f]{16}) ([0-9a-f]{16}) -->/.exec(issue.body ?? "");
    const [, subject, opener] = marker ?? [];
    return issue.pull_request === undefined ? [{ issue, subject, opener }] : [];
  });
}

/**
 * Returns a value for GitHub's parameter `since`. With it, GitHub lists everything that changed at `at` or later, even
 * if the clocks differ.
 */
function earlier(at: number): string {
  return new Date(at - skewMs).toISOString().replace(/\.\d+/, "");
}

async function open(api: IssuesApi, label: string, subject: string, message: Message): Promise<void> {
  const body = `<!-- mirrorfeed ${subject} ${message.id} -->\n${renderMarkdown(message)}`;
  const { labels } = await api.create({ title: issueTitle(message.title), body, labels: [label] });
  const names = labels.map((one) => (typeof one === "string" ? one : one.name));
  if (!names.some((name) => name?.toLowerCase() === label.toLowerCase())) {
    throw refused(
      "The issue was created without its label because the token may not set labels, so mirrorfeed will not find it again.",
    );
  }
}

async function close(
  api: IssuesApi,
  issue: Issue,
  events: readonly MessageEvent[],
  message: Message,
): Promise<void> {
  const marker = `<!-- mirrorfeed message ${message.id} -->`;
  const comments =
    issue.comments === 0 ? [] : await api.comments(issue.number, earlier(Date.parse(message.at)));
  // Anyone can comment, so only comments by the issue's author count as this channel's.
  const isOwn = comments.some(
    ({ body, user }) => body?.startsWith(marker) === true && user?.id === issue.user?.id,
  );
  if (!isOwn) {
    const { title } = events.length === 1 ? { ...message, ...events[0] } : message;
    await api.comment(
      issue.number,
      `${marker}\n**${markdownText(title)}**\n\n${renderMarkdown(message, events)}`,
    );
  }
  await api.close(issue.number);
}

/** Returns a title without code, mentions or references. An invisible word joiner breaks up mentions and references. */
export function issueTitle(text: string): string {
  return chatLine(text, maxTitleLength)
    .replaceAll("`", "'")
    .replaceAll(/[@#](?=[\w])|\bgh-(?=\d)/gi, "$&\u2060")
    .slice(0, 250);
}

/** Enough for a page of a hundred issues with their text. */
const maxBytes = 16 * 1024 * 1024;

const maxPages = 10;

/** After a rate limit, GitHub asks clients to wait at least this long if the answer names no time. */
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

type Issue = z.infer<typeof issueSchema>;

type IssuesApi = ReturnType<typeof issuesApi>;

/** Accesses a repository's issues (https://docs.github.com/rest/issues). */
function issuesApi(repository: string, token: string, context: SendContext) {
  const headers = [
    ...["accept", "application/vnd.github+json", "x-github-api-version", "2022-11-28"],
    ...["authorization", `Bearer ${token}`],
  ];
  const issuesUrl = `${context.githubApiUrl.replace(/\/+$/, "")}/repos/${repository}/issues`;
  const write = (method: "POST" | "PATCH", path: string, value: object): Promise<HttpResponse> => {
    const body = JSON.stringify(value);
    const options = { method, body, maxBytes, headers: [...headers, "content-type", "application/json"] };
    return ask(new URL(`${issuesUrl}${path}`), options, context, refine);
  };

  const list = async <One>(path: string, query: Record<string, string>, schema: z.ZodType<One>) => {
    const parameters = new URLSearchParams({ ...query, per_page: "100" });
    const first = new URL(`${issuesUrl}${path}?${parameters.toString()}`);
    const found: One[] = [];
    let next: URL | undefined = first;
    for (let page = 1; next !== undefined; page += 1) {
      if (page > maxPages) throw failed(`More than ${maxPages} pages of issues have this label.`);
      const answer = await ask(next, { maxBytes, headers }, context, refine);
      found.push(...parse(answer, z.array(schema)));
      next = nextPage(answer, first.origin);
    }
    return found;
  };

  return {
    /** Lists the issues that have a label and changed since a timestamp, newest first. */
    issues: (labels: string, since: string) => list("", { labels, state: "all", since }, issueSchema),
    /** Lists those of an issue's comments that changed since a timestamp. */
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
  throw failed("Its answer does not match GitHub's REST API.");
}

/**
 * Returns the URL of the next page (RFC 8288). Ignores a URL on another origin, because the request carries the token.
 */
function nextPage({ headers }: HttpResponse, origin: string): URL | undefined {
  const links = [headers["link"] ?? []].flat().join(", ");
  const [, found = ""] = /<([^<>]*)>;[^<]*\brel="next"/.exec(links) ?? [];
  const next = parseUrl(found);
  return next?.origin === origin ? next : undefined;
}

/** GitHub also answers with 403 if a rate limit is reached. */
const refine: Refine = (answer, now) => {
  const { status, headers, body } = answer;
  const isSpent = headers["x-ratelimit-remaining"] === "0";
  const isLimited = isSpent || headers["retry-after"] !== undefined || /rate limit/i.test(body.toString());
  if (status === 429 || (status === 403 && isLimited)) {
    const untilReset = isSpent ? boundedWait(Number(headers["x-ratelimit-reset"]) * 1000 - now) : undefined;
    return failed("Its rate limit has been reached.", retryAfterMs(answer, now) ?? untilReset ?? limitedMs);
  }
  const reason = reasons[status];
  if (reason === undefined) return undefined;
  return (status === 410 || status === 422 ? refused : failed)(`${reason} (HTTP status ${status}).`);
};

const reasons: Readonly<Record<number, string>> = {
  301: "The repository was renamed",
  401: "GitHub rejected the token",
  403: "The token may not write issues in the repository",
  404: "There is no such repository, or the token may not read it",
  410: "The repository has no issues, or the issue was deleted",
  422: "GitHub rejected the issue",
};
