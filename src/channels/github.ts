import * as z from "zod";
import { channelOf, tokenVariable } from "./channel.ts";
import { chatLine } from "./chat-text.ts";
import { delivering, failed, refused } from "./delivering.ts";
import type { Issue, IssuesApi } from "./github-api.ts";
import { markdownText, renderMarkdown } from "./markdown.ts";
import type { Message, MessageEvent } from "./message.ts";

/** How far the clocks of GitHub and of this machine may be apart. */
const skewMs = 24 * 60 * 60 * 1000;

/** GitHub takes 256 characters. */
const maxTitleLength = 200;

export const github = channelOf({
  description:
    "Issues of a repository on GitHub: one for each message that begins something, with a comment for each change, closed at the end. What a person closed stays closed.",
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
  changes: true,
  send: (message, { tokenEnv, label, repository }, context) =>
    delivering(async () => {
      const token = context.secret(tokenEnv).trim();
      if (!/^[\x21-\x7e]{1,1000}$/.test(token)) throw failed(`${tokenEnv} does not hold a token.`);
      const apiUrl = context.githubApiUrl;
      if (!URL.canParse(apiUrl)) throw failed("GITHUB_API_URL does not hold a URL.");
      // Commands that send nothing do without its schemas.
      const { issuesApi } = await import("./github-api.ts");
      const api = issuesApi({ apiUrl, repository }, token, context);
      const found = await issuesByThread(api, label, message);
      for (const thread of new Set(message.events.map((event) => event.thread))) {
        const events = message.events.filter((event) => event.thread === thread);
        const issue = found.get(thread);
        if (issue !== undefined) await update(api, issue, events, message);
        // A change or an end without an issue is of one that a person deleted or took the label from.
        else if (message.phase === "begin") await create(api, label, thread, events, message);
      }
    }),
});

/** Returns the issues that may be of a message, by the marker in the first line of their texts. */
async function issuesByThread(
  api: IssuesApi,
  label: string,
  { phase, at, events }: Message,
): Promise<Map<string, Issue>> {
  // An issue is not older than its message, and its message not older than its events.
  const times = phase === "begin" ? [at] : events.map(({ since }) => since);
  const since = Math.min(...times.map((time) => Date.parse(time))) - skewMs;
  const issues = await api.issues(label, new Date(since).toISOString().replace(/\.\d+/, ""));
  const threads = issues.flatMap((issue): [string, Issue][] => {
    const [, thread] = /^<!-- mirrorfeed thread ([0-9a-f]{16}) -->/.exec(issue.body ?? "") ?? [];
    return thread === undefined || issue.pull_request !== undefined ? [] : [[thread, issue]];
  });
  // If there are two, the older one counts.
  return new Map(threads);
}

async function create(
  api: IssuesApi,
  label: string,
  thread: string,
  events: readonly MessageEvent[],
  message: Message,
): Promise<void> {
  const [first] = events;
  const title = events.length === message.events.length ? message.title : (first?.title ?? message.title);
  const body = `<!-- mirrorfeed thread ${thread} -->\n${renderMarkdown(message, events)}`;
  const { labels } = await api.create({ title: issueTitle(title), body, labels: [label] });
  const names = labels.map((one) => (typeof one === "string" ? one : one.name));
  if (!names.some((name) => name?.toLowerCase() === label.toLowerCase())) {
    throw refused(
      "The issue was created without its label, so it is not found again: the token may not set labels.",
    );
  }
}

/** Comments on an open issue once, and closes it if nothing of its thread lasts. */
async function update(
  api: IssuesApi,
  issue: Issue,
  events: readonly MessageEvent[],
  message: Message,
): Promise<void> {
  if (message.phase === "begin" || issue.state !== "open") return;
  const marker = `<!-- mirrorfeed message ${message.id} -->`;
  const since = new Date(Date.parse(message.at) - skewMs).toISOString().replace(/\.\d+/, "");
  const comments = issue.comments === 0 ? [] : await api.comments(issue.number, since);
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
  const isOver = message.phase === "end" && events.every(({ isThreadOver }) => isThreadOver);
  if (isOver) await api.close(issue.number);
}

/** Returns a title in which nothing is code, a mention or a reference. The joiner is invisible. */
export function issueTitle(text: string): string {
  return chatLine(text, maxTitleLength)
    .replaceAll("`", "'")
    .replaceAll(/[@#](?=[\w])|\bgh-(?=\d)/gi, "$&\u2060")
    .slice(0, 250);
}
