import * as z from "zod";
import { group } from "../base/text/group.ts";
import { channelOf, failed, refused, tokenVariable } from "./channel.ts";
import { chatLine } from "./chat-text.ts";
import { type Issue, type IssuesApi, issuesApi } from "./github-api.ts";
import { markdownText, renderMarkdown } from "./markdown.ts";
import type { Message, MessageEvent } from "./message.ts";

/** How far the clocks of GitHub and of this machine may be apart. */
const skewMs = 24 * 60 * 60 * 1000;

/** GitHub takes 256 characters. */
const maxTitleLength = 200;

export const github = channelOf({
  description:
    "Issues of a repository on GitHub: one for each event or digest, closed with a comment at its end. An issue that someone closed stays closed.",
  options: {
    repository: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,39}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, { error: "must be owner/name" })
      .describe("The repository of the issues, as owner/name.")
      .meta({ title: "repository" }),
    tokenEnv: tokenVariable
      .default("GITHUB_TOKEN")
      .describe("The variable with a token that may write issues.")
      .meta({ examples: ["ISSUES_TOKEN"] }),
    label: z
      .string()
      .regex(/^(?! )[^,\p{C}\p{Zl}\p{Zp}]{1,50}(?<! )$/u, { error: "must be a label, without a comma" })
      .default("mirrorfeed")
      .describe(
        "The label of the issues, by which they are found again. Only people who may write to the repository can set it.",
      )
      .meta({ examples: ["mirrors"] }),
  },
  example: { repository: "example/mirrors" },
  send: async (message, { tokenEnv, label, repository }, context) => {
    const token = context.secret(tokenEnv).trim();
    if (!/^[\x21-\x7e]{1,1000}$/.test(token)) throw failed(`${tokenEnv} does not hold a token.`);
    if (!URL.canParse(context.githubApiUrl)) throw failed("GITHUB_API_URL does not hold a URL.");
    const api = issuesApi(repository, token, context);
    const bySubject = group(
      message.events.flatMap((event) => subjectOf(event, message).map((id) => [id, event] as const)),
    );
    if (bySubject.size === 0) return;
    const known = await issuesOf(api, label, message);
    for (const [subject, events] of bySubject) {
      if (message.phase === "end") {
        // Without an issue, a person deleted it or took its label away.
        for (const { issue, subject: own } of known)
          if (own === subject && issue.state === "open") await close(api, issue, events, message);
      } else if (!known.some(({ opener }) => opener === message.id)) await open(api, label, subject, message);
    }
  },
});

/** Returns what the issue of an event is found by: nothing if it began in a digest that is not over yet. */
function subjectOf({ id, digest }: MessageEvent, { phase }: Message): string[] {
  if (digest === undefined) return [id];
  return phase === "begin" || digest.isOver ? [digest.id] : [];
}

/** Returns the issues that may be about the events of a message, by the marker in the first line of their texts. */
async function issuesOf(api: IssuesApi, label: string, { phase, at, events }: Message) {
  // An issue is not older than its message, and its message not older than its events.
  const times = phase === "begin" ? [at] : events.map(({ since }) => since);
  const issues = await api.issues(label, earlier(Math.min(...times.map((time) => Date.parse(time)))));
  return issues.flatMap((issue) => {
    const marker = /^<!-- mirrorfeed ([0-9a-f]{16}) ([0-9a-f]{16}) -->/.exec(issue.body ?? "");
    const [, subject, opener] = marker ?? [];
    return issue.pull_request === undefined ? [{ issue, subject, opener }] : [];
  });
}

/** Returns the timestamp from which GitHub is asked for what changed at a time or later. */
function earlier(at: number): string {
  return new Date(at - skewMs).toISOString().replace(/\.\d+/, "");
}

async function open(api: IssuesApi, label: string, subject: string, message: Message): Promise<void> {
  const body = `<!-- mirrorfeed ${subject} ${message.id} -->\n${renderMarkdown(message)}`;
  const { labels } = await api.create({ title: issueTitle(message.title), body, labels: [label] });
  const names = labels.map((one) => (typeof one === "string" ? one : one.name));
  if (!names.some((name) => name?.toLowerCase() === label.toLowerCase())) {
    throw refused(
      "The issue was created without its label, so it is not found again: the token may not set labels.",
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
  // Anyone may comment: only a comment by the author of the issue is one of this channel.
  const isOwn = comments.some(
    ({ body, user }) => body?.startsWith(marker) === true && user?.id === issue.user?.id,
  );
  if (!isOwn) {
    const [only] = events;
    const title = events.length === 1 && only !== undefined ? only.title : message.title;
    await api.comment(
      issue.number,
      `${marker}\n**${markdownText(title)}**\n\n${renderMarkdown(message, events)}`,
    );
  }
  await api.close(issue.number);
}

/** Returns a title in which nothing is code, a mention or a reference. The joiner is invisible. */
export function issueTitle(text: string): string {
  return chatLine(text, maxTitleLength)
    .replaceAll("`", "'")
    .replaceAll(/[@#](?=[\w])|\bgh-(?=\d)/gi, "$&\u2060")
    .slice(0, 250);
}
