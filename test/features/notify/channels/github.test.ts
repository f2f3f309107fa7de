import { expect, test } from "vitest";
import type { Delivery } from "../../../../src/features/notify/channels/channel.ts";
import { channelTypes } from "../../../../src/core/config/channels.ts";
import { github } from "../../../../src/features/notify/channels/github.ts";
import type { Message } from "../../../../src/features/notify/channels/message.ts";
import { type GitHubApi, problem, startGitHubApi, token } from "../../../support/github-api.ts";
import {
  endMessage,
  message,
  messageEvent,
  messageMirror,
  sendContext,
  type SendingOptions,
} from "../../../support/sending.ts";

const now = Date.parse("2026-03-10T12:10:00Z");
const repository = "example/mirrors";

async function send(
  { url }: GitHubApi,
  what: Message,
  { entry, ...options }: SendingOptions & { entry?: object } = {},
): Promise<Delivery> {
  const environment = { GITHUB_TOKEN: token, GITHUB_API_URL: url, ...options.environment };
  const context = await sendContext({ now: () => now, type: "github", ...options, environment });
  return github.send(what, { repository, ...entry }, context);
}

/** Returns each issue's state and number of comments. */
function summaryOf({ issues }: GitHubApi): string[] {
  return issues.map(({ state, comments }) => `${state} ${comments.length}`);
}

const sent = { outcome: "sent" };
const unsent = { outcome: "failed" };
const opened = { outcome: "sent", number: 1 };
/** The end of the event whose issue has this number. */
const endOf = (number?: number, id?: string): Message =>
  endMessage({ number, ...(id !== undefined && { id }) });
const [created, commented, closed] = ["POST /issues", "POST /issues/1/comments", "PATCH /issues/1"];

test("an issue is opened at the begin, and gets a comment and is closed at the end", async () => {
  const api = await startGitHubApi();
  expect(await send(api, message())).toEqual(opened);
  const issue = { title: "git.example.org/a/one is offline", labels: ["mirrorfeed"], state: "open" };
  expect(api.issues).toMatchObject([issue]);
  expect(api.one(1).body).toMatchInlineSnapshot(`
    "<!-- mirrorfeed 0000000000000001 -->
    It did not accept a connection in time.

    - Since: 22 Nov 2026, 09:00 UTC
    - [Details](<https://status.example.org/feed/incidents/2026-11-22-abcdef/>)

    **Mirror** \`git.example.org/a/one\`

    - URL: \`https://git.example.org/a/one\`
    - Target: \`s/p/one\`
    - Code: timeout
    - Other mirrors: 2 online
    - [Details](<https://status.example.org/feed/status/s/p/one/#node-1>)
    - To probe it again: \`mirrorfeed probe https://git.example.org/a/one --explain\`

    ---

    You get this because of the rule rule-1 for the channel ops. To stop these notifications, remove ops from the rules and contacts in mirrors.json, or ask whoever runs Mirrors of example \`(https://status.example.org/feed/)\` to do so.

    [All mirrors](<https://status.example.org/feed/>)"
  `);
  expect(await send(api, endOf(1))).toEqual(sent);
  expect(api.writes).toEqual([created, closed, commented]);
  expect(api.issues).toMatchObject([{ state: "closed", stateReason: "completed" }]);
  const [title] = api.one(1).comments.map(({ body }) => body.split("\n")[0]);
  expect(title).toBe("**`git.example.org/a/one` is back after 3 hours**");
});

test("a begin that may have arrived, and an end that did, change nothing", async () => {
  const api = await startGitHubApi();
  const again = message({ isRepeated: true });
  for (const begin of [message(), again]) expect(await send(api, begin)).toEqual(opened);
  for (const end of [endOf(1), endOf(1), endOf()]) expect(await send(api, end)).toEqual(sent);
  expect(api.writes).toEqual([created, closed, commented]);
});

test("a lost answer to any request loses and repeats no issue", async () => {
  for (let place = 1; place <= 4; place += 1) {
    const api = await startGitHubApi();
    api.isLost = () => api.requests.length === place;
    let begun = await send(api, message());
    if (begun.outcome === "failed") begun = await send(api, message({ isRepeated: true }));
    expect(begun).toEqual(opened);
    let ended = await send(api, endOf(1));
    if (ended.outcome === "failed") ended = await send(api, endOf(1));
    expect(ended).toMatchObject(sent);
    expect(api.writes.filter((write) => write === created)).toHaveLength(1);
    // The comment is lost rather than repeated.
    expect(summaryOf(api)).toEqual([place === 3 ? "closed 0" : "closed 1"]);
  }
});

test.each<[string, (api: GitHubApi) => void]>([
  ["closed", (api) => Object.assign(api.one(1), { state: "closed", stateReason: "not_planned" })],
  ["deleted", (api) => Object.assign(api.one(1), { isDeleted: true })],
])("what a person %s stays as it is, and gets no comment", async (_, change) => {
  const api = await startGitHubApi();
  await send(api, message());
  change(api);
  expect(await send(api, endOf(1))).toEqual(sent);
  expect(api.writes).toEqual([created]);
});

test("a comment that is refused is not tried again, because the issue is closed", async () => {
  const api = await startGitHubApi();
  await send(api, message());
  api.instead = ({ path }) =>
    path.endsWith("/comments") ? { status: 502, text: "<h1>502</h1>" } : undefined;
  expect(await send(api, endOf(1))).toMatchObject(unsent);
  expect(await send(api, endOf(1))).toEqual(sent);
});

test("without a number, an issue is found by its marker alone: not by its title, nor by a marker in another text", async () => {
  const api = await startGitHubApi();
  const marker = "<!-- mirrorfeed 0000000000000001 -->";
  const labels = ["mirrorfeed"];
  api.add({ title: message().title, labels: ["other", ...labels], user: null, body: null });
  api.add({ body: `${marker}\n`, labels: ["question"] });
  api.add({ body: `> ${marker}`, labels });
  api.add({ body: `${marker}\n`, labels, isPullRequest: true });
  expect(await send(api, message({ isRepeated: true }))).toEqual({ outcome: "sent", number: 5 });
  await send(api, endOf());
  expect(api.writes).toEqual([created, "PATCH /issues/5", "POST /issues/5/comments"]);
  expect(api.issues.slice(0, 4).every(({ state }) => state === "open")).toBe(true);
});

test("a text that is too long is cut", async () => {
  const api = await startGitHubApi();
  const long = "x".repeat(100_000);
  const evidence = Array.from({ length: 20 }, () => ({ name: long, value: long }));
  const mirror = messageMirror({ name: long, url: long, command: long, evidence });
  const mirrors = Array<typeof mirror>(20).fill(mirror);
  const event = messageEvent({ title: long, sentence: long, mirrors, evidence });
  expect(await send(api, message({}, { title: long, events: [event] }))).toEqual(opened);
  expect(api.one(1).body).toContain("The rest is too long to show here.");
  expect(api.one(1).body).toContain("To stop these notifications");
});

const inAnHour = String(now / 1000 + 3600);
const limited = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
const later = (retryAfterMs: number) => ({ outcome: "failed", retryAfterMs });
const reason = "The token may not write issues in the repository (HTTP status 403).";
const spent = (reset: string) => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset });

test.each<[status: number, text: string, delivery: object, headers?: Record<string, string>]>([
  [403, "API rate limit exceeded for user ID 1.", later(3_600_000), spent(inAnHour)],
  [429, "", later(99_999_999_999_000 - now), spent("99999999999")],
  [403, limited, later(90_000), { "retry-after": "90" }],
  [403, limited, later(60_000), { "x-ratelimit-remaining": "4000" }],
  [401, "Bad credentials", unsent],
  [403, "Resource not accessible by integration", { ...unsent, reason }],
  [404, "Not Found", unsent],
  [422, "Validation Failed", unsent],
  [301, "Moved Permanently", unsent, { location: "/repositories/2/issues" }],
  [502, "<html><title>Unicorn!</title></html>", unsent],
  [503, "Service unavailable", later(5000), { "retry-after": "5" }],
  [504, "<html>Timeout</html>", { ...unsent, mayHaveArrived: true }],
  [200, "<title>Log in</title>", { ...unsent, mayHaveArrived: true }],
  [200, '{ "issues": [] }', { ...unsent, mayHaveArrived: true }],
])("at any step: %i %s", async (status, text, expected, headers = {}) => {
  const answer = /^[<{]/.test(text)
    ? { status, headers, text }
    : { status, headers, document: problem(text, status) };
  for (const step of ["GET", created, closed]) {
    // The answer to the request that closes an issue is not read.
    if (status === 200 && step === closed) continue;
    const api = await startGitHubApi();
    if (step === closed) await send(api, message());
    api.instead = ({ method, path }) =>
      `${method} ${path}`.replace("/repos/example/mirrors", "").startsWith(step) ? answer : undefined;
    const delivery = await send(api, step === closed ? endOf(1) : message({ isRepeated: step === "GET" }));
    expect(delivery).toMatchObject(expected);
    expect(JSON.stringify(delivery)).not.toMatch(/127\.0\.0\.1|ghs_|http:|Unicorn|user ID/);
  }
});

test("the API of GitHub Enterprise has a path, and names of repositories no dots alone", async () => {
  const api = await startGitHubApi();
  api.instead = () => ({ status: 404, document: {} });
  await send(api, message(), { environment: { GITHUB_API_URL: `${api.url}/api/v3/` } });
  expect(api.requests.map(({ path }) => path)).toEqual(["/api/v3/repos/example/mirrors/issues"]);
  const { repository: name, label } = channelTypes.github.options;
  expect(["a/..", "a/.", "a/b/c", "a"].filter((text) => name.safeParse(text).success)).toEqual([]);
  expect(["a,b", " a", "a\nb", ""].filter((text) => label.safeParse(text).success)).toEqual([]);
});
