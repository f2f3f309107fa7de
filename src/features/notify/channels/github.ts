import * as z from "../../../core/base/zod.ts";
import type { HttpResponse } from "../../../core/base/http/response.ts";
import { tryParseJson } from "../../../core/base/text/json.ts";
import { channelTypes } from "../../../core/config/channels.ts";
import {
  ask,
  channelOf,
  DeliveryFailure,
  readUrl,
  type Receipt,
  type Refine,
  retryAfterMs,
  type SendContext,
} from "./channel.ts";
import { chatLine } from "./chat-text.ts";
import { markdownText, renderMarkdown } from "./chat-markdown.ts";
import type { Message, MessageEvent } from "./message.ts";

/** Opens an issue when an event begins, and closes it when the event ends. */
export const github = channelOf(
  channelTypes.github.options,
  ({ tokenEnv, label, repository }, { secret, githubApiUrl, allowPrivate }) => {
    const token = secret(tokenEnv).trim();
    if (!/^[\x21-\x7e]{1,1000}$/.test(token))
      throw new DeliveryFailure(`${tokenEnv} does not hold a token; set it to one that may write issues.`);
    const api = readUrl("GITHUB_API_URL", githubApiUrl, allowPrivate);
    return async (message, context) => {
      const [event] = message.events;
      const issues = issuesOf(api, repository, token, context);
      if (event === undefined) return {};
      return (event.phase === "begin" ? open : close)(issues, label, event, message);
    };
  },
  true,
);

async function open(issues: Issues, label: string, event: MessageEvent, message: Message): Promise<Receipt> {
  const known = event.isRepeated === true ? await find(issues, label, event) : undefined;
  if (known !== undefined) return { number: known.number };
  const body = `${markerOf(event)}\n${renderMarkdown(message)}`;
  const created = await issues("POST", "", { title: issueTitle(message.title), body, labels: [label] });
  return { number: parse(created, issueSchema).number };
}

/** An issue that someone has closed or deleted stays as it is. */
async function close(issues: Issues, label: string, event: MessageEvent, message: Message): Promise<Receipt> {
  const issue =
    event.number === undefined
      ? await find(issues, label, event)
      : await getUnlessDeleted(issues, event.number);
  if (issue?.state !== "open") return {};
  const path = `/${issue.number}`;
  // Closed first, so that the comment is never sent twice.
  await issues("PATCH", path, { state: "closed", state_reason: "completed" });
  const body = `**${markdownText(message.title)}**\n\n${renderMarkdown(message)}`;
  await issues("POST", `${path}/comments`, { body });
  return {};
}

/** Finds the issue of an event, which may be missing, by the first line of its text. */
async function find(issues: Issues, label: string, event: MessageEvent) {
  // The newest hundred with the label, open and closed.
  const query = new URLSearchParams({ labels: label, state: "all", per_page: "100" });
  const newest = parse(await issues("GET", `?${query.toString()}`), z.array(issueSchema));
  const marker = markerOf(event);
  return newest.find((one) => one.pull_request === undefined && one.body?.startsWith(marker) === true);
}

async function getUnlessDeleted(issues: Issues, number: number) {
  try {
    return parse(await issues("GET", `/${number}`), issueSchema);
  } catch (error) {
    if (error instanceof DeliveryFailure && error.status === 410) return undefined;
    throw error;
  }
}

function markerOf({ id }: MessageEvent): string {
  return `<!-- mirrorfeed ${id} -->`;
}

/** Returns a title without code, mentions or references. An invisible word joiner breaks up mentions and references. */
export function issueTitle(text: string): string {
  // GitHub accepts 256 characters.
  return chatLine(text, 200)
    .replaceAll("`", "'")
    .replaceAll(/[@#](?=[\w])|\bgh-(?=\d)/gi, "$&\u2060")
    .slice(0, 250);
}

/** After a rate limit, GitHub asks clients to wait at least this long if the answer names no time. */
const limitedMs = 60_000;

const issueSchema = z.object({
  number: z.int().min(1),
  state: z.string(),
  body: z.string().nullish(),
  pull_request: z.unknown().optional(),
});

/** Sends a request about a repository's issues (https://docs.github.com/rest/issues). */
type Issues = (method: "GET" | "POST" | "PATCH", path: string, content?: object) => Promise<HttpResponse>;

function issuesOf(api: URL, repository: string, token: string, context: SendContext): Issues {
  const url = `${api.href.replace(/\/+$/, "")}/repos/${repository}/issues`;
  const headers = [
    ...["accept", "application/vnd.github+json", "x-github-api-version", "2022-11-28"],
    ...["authorization", `Bearer ${token}`, "content-type", "application/json"],
  ];
  return (method, path, content) => {
    const body = content && JSON.stringify(content);
    return ask(new URL(`${url}${path}`), { method, body, headers }, context, refine);
  };
}

function parse<Value>({ body, complete }: HttpResponse, schema: z.ZodType<Value>): Value {
  const parsed = schema.safeParse(complete ? tryParseJson(body.toString()) : undefined);
  if (parsed.success) return parsed.data;
  // If the request was to open an issue, GitHub may have done so.
  throw new DeliveryFailure("Its answer does not match GitHub's REST API.", { mayHaveArrived: true });
}

/** GitHub also answers with 403 if a rate limit is reached. */
const refine: Refine = (answer, now) => {
  const { status, headers, body } = answer;
  const isSpent = headers["x-ratelimit-remaining"] === "0";
  const isLimited = isSpent || headers["retry-after"] !== undefined || /rate limit/i.test(body.toString());
  if (status === 429 || (status === 403 && isLimited)) {
    const untilReset = isSpent ? Number(headers["x-ratelimit-reset"]) * 1000 - now : NaN;
    const waitMs = retryAfterMs(answer, now) ?? (Number.isNaN(untilReset) ? limitedMs : untilReset);
    return new DeliveryFailure("Its rate limit has been reached.", { retryAfterMs: waitMs });
  }
  const reason = reasons[status];
  return reason === undefined
    ? undefined
    : new DeliveryFailure(`${reason} (HTTP status ${status}).`, {}, status);
};

const reasons: Readonly<Record<number, string>> = {
  301: "The repository was renamed",
  401: "GitHub rejected the token",
  403: "The token may not write issues in the repository",
  404: "There is no such repository, or the token may not read it",
  410: "The repository has no issues, or the issue was deleted",
};
