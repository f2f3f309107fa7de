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
const [created, commented, closed] = ["POST /issues", "POST /issues/1/comments", "PATCH /issues/1"];

test("an issue is opened at the begin, and gets a comment and is closed at the end", async () => {
  const api = await startGitHubApi();
  expect(await send(api, message())).toEqual(sent);
  expect(api.issues).toMatchObject([
    { title: "git.example.org is offline", labels: ["mirrorfeed"], state: "open" },
  ]);
  expect(api.one(1).body).toMatchInlineSnapshot(`
    "<!-- mirrorfeed 00000000000000e1 00000000000000a1 -->
    It did not accept a connection in time.

    - Code: timeout
    - [Details](https://status.example.org/incidents/#i1)

    **Mirror** \`git.example.org/joomla/packages\`

    - URL: \`https://git.example.org/joomla/packages\`
    - Target: \`community/jcb/packages\` (id 7)
    - Code: timeout
    - Phase: It did not accept a connection in time.
    - [Details](https://status.example.org/status/community/jcb/packages/7/)
    - To probe it again: \`mirrorfeed probe https://git.example.org/joomla/packages --explain\`

    ---

    It came by the rule "rule-1" of notify in mirrors.json. To be left out, ask for the removal of "ops" from that rule.

    [All mirrors](https://status.example.org/)"
  `);
  expect(await send(api, endMessage())).toEqual(sent);
  expect(api.writes).toEqual([created, commented, closed]);
  expect(api.issues).toMatchObject([{ state: "closed", stateReason: "completed" }]);
  expect(api.one(1).comments.map(({ body }) => body.split("\n").slice(0, 2))).toEqual([
    ["<!-- mirrorfeed message 00000000000000b2 -->", "**git.example.org is back**"],
  ]);
});

test("a begin and an end that are sent again change nothing", async () => {
  const api = await startGitHubApi();
  for (const what of [message(), endMessage()]) {
    expect([await send(api, what), await send(api, what)]).toEqual([sent, sent]);
  }
  expect(api.writes).toEqual([created, commented, closed]);
});

test("a crash after any request loses and repeats nothing", async () => {
  const steps = [message(), endMessage()];
  for (let place = 1; place <= 6; place += 1) {
    const api = await startGitHubApi();
    api.isLost = () => api.requests.length === place;
    for (const what of steps) {
      let delivery = await send(api, what);
      if (delivery.outcome === "failed") delivery = await send(api, what);
      expect(delivery).toEqual(sent);
    }
    expect(api.writes.filter((write) => write !== closed)).toEqual([created, commented]);
    expect(api.issues).toMatchObject([{ state: "closed", comments: [{}] }]);
    expect(api.one(1).comments).toHaveLength(1);
  }
});

test("what a person closed stays closed, and gets no comment", async () => {
  const api = await startGitHubApi();
  await send(api, message());
  Object.assign(api.one(1), { state: "closed", stateReason: "not_planned" });
  for (const what of [message(), endMessage()]) expect(await send(api, what)).toEqual(sent);
  expect(api.writes).toEqual([created]);
  expect(api.one(1)).toMatchObject({ state: "closed", stateReason: "not_planned", comments: [] });
});

test("an issue that a person deleted, or took the label from, is not created again by its end", async () => {
  const api = await startGitHubApi();
  await send(api, message());
  api.one(1).labels = [];
  expect(await send(api, endMessage())).toEqual(sent);
  expect(api.writes).toEqual([created]);
});

test("an event that begins again for this channel gets another issue, which its end closes", async () => {
  const api = await startGitHubApi();
  for (const what of [message(), endMessage(), message({}, { id: "00000000000000a3" })])
    await send(api, what);
  expect(api.issues.map(({ state }) => state)).toEqual(["closed", "open"]);
  await send(api, endMessage({}, { id: "00000000000000b4" }));
  expect(summaryOf(api)).toEqual(["closed 1", "closed 1"]);
});

test("an issue is found by its marker alone: not by its title, nor by a marker that another text holds", async () => {
  const api = await startGitHubApi();
  const marker = "<!-- mirrorfeed 00000000000000e1 00000000000000a1 -->";
  const labels = ["mirrorfeed"];
  api.add({ title: "git.example.org is offline", labels: ["other", ...labels], user: null, body: null });
  api.add({ body: `${marker}\n`, labels: ["question"] });
  api.add({ body: `> ${marker}`, labels });
  api.add({ body: `${marker}\n`, labels, isPullRequest: true });
  expect(await send(api, message())).toEqual(sent);
  expect(api.issues).toHaveLength(5);
  api.one(5).comments.push({ user: 77, body: "<!-- mirrorfeed message 00000000000000b2 -->", at: api.now });
  await send(api, endMessage());
  expect(api.writes).toEqual([created, "POST /issues/5/comments", "PATCH /issues/5"]);
  expect(api.issues.slice(0, 4).every(({ state }) => state === "open")).toBe(true);
});

test("an issue is found on a later page, within a limit, and the token goes to no other server", async () => {
  const api = await startGitHubApi();
  api.pageSize = 2;
  await send(api, message());
  for (let count = 0; count < 19; count += 1) api.add({ labels: ["mirrorfeed"] });
  expect(await send(api, endMessage())).toEqual(sent);
  expect(api.one(1).state).toBe("closed");
  const other = await startGitHubApi();
  const [, before] = [api.add({ labels: ["mirrorfeed"] }), api.requests.length];
  expect(await send(api, endMessage())).toMatchObject({
    outcome: "failed",
    reason: expect.stringContaining("10"),
  });
  expect(api.requests.length).toBe(before + 10);
  api.instead = () => ({ status: 200, document: [], headers: { link: `<${other.url}/x>; rel="next"` } });
  expect(await send(api, endMessage())).toEqual(sent);
  expect(other.requests).toEqual([]);
});

test("only issues that changed since its event began are read", async () => {
  const api = await startGitHubApi();
  api.add({
    body: "<!-- mirrorfeed 00000000000000e1 00000000000000a1 -->",
    labels: ["mirrorfeed"],
    updatedAt: "2026-03-09T09:59:59Z",
  });
  expect(await send(api, endMessage())).toEqual(sent);
  expect(api.one(1).state).toBe("open");
});

test("a digest is one issue, which gets a comment and is closed when all of it is over", async () => {
  const api = await startGitHubApi();
  const id = "00000000000000a1";
  const events = Array.from({ length: 300 }, (_, at) =>
    messageEvent({ title: `h${at}.example.org is offline`, digest: { id, isOver: false } }),
  );
  const begin = message({}, { title: "300 events", events });
  expect([await send(api, begin), await send(api, begin)]).toEqual([sent, sent]);
  expect(api.issues).toMatchObject([{ title: "300 events" }]);
  expect(api.one(1).body).toContain("h19.example.org");
  expect(api.one(1).body).toContain("And 280 more events.");
  const before = api.requests.length;
  const first = endMessage({ digest: { id, isOver: false } }, { id: "00000000000000d1" });
  expect(await send(api, first)).toEqual(sent);
  expect(api.requests.length).toBe(before);
  const last = endMessage({ digest: { id, isOver: true } }, { id: "00000000000000d2" });
  expect([await send(api, last), await send(api, last)]).toEqual([sent, sent]);
  expect(summaryOf(api)).toEqual(["closed 1"]);
});

test("the ends of many events in one message go each to its issue, and those that came are not repeated", async () => {
  const api = await startGitHubApi();
  const ids = Array.from({ length: 30 }, (_, at) => at.toString(16).padStart(16, "0"));
  for (const id of ids) await send(api, message({ id }, { id: id.replace("0", "a") }));
  const { events: ends } = endMessage();
  const events = ids.flatMap((id) => ends.map((event) => ({ ...event, id })));
  const all = endMessage({}, { title: "30 events are over", events });
  api.instead = ({ path }) =>
    path.endsWith("/17/comments") ? { status: 502, text: "<h1>502</h1>" } : undefined;
  expect(await send(api, all)).toMatchObject({ outcome: "failed" });
  api.instead = () => undefined;
  expect(await send(api, all)).toEqual(sent);
  expect(summaryOf(api)).toEqual(Array(30).fill("closed 1"));
});

test("a text that is too long is cut", async () => {
  const api = await startGitHubApi();
  const long = "x".repeat(100_000);
  const evidence = Array.from({ length: 20 }, () => ({ name: long, value: long }));
  const mirror = messageMirror({ name: long, url: long, command: long, evidence });
  const mirrors = Array<typeof mirror>(20).fill(mirror);
  const event = messageEvent({ title: long, sentence: long, mirrors, evidence });
  expect(await send(api, message({}, { title: long, events: [event] }))).toEqual(sent);
  expect(api.one(1).body).toContain("The rest is too long to show here.");
  expect(api.one(1).body).toContain("To be left out");
});

test("without the right to set labels the issue would not be found again, and that is said", async () => {
  const api = await startGitHubApi();
  api.maySetLabels = false;
  expect(await send(api, message())).toMatchObject({
    outcome: "refused",
    reason: expect.stringContaining("label"),
  });
});

const inAnHour = String(now / 1000 + 3600);
const limited = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
const later = (retryAfterMs: number) => ({ outcome: "failed", retryAfterMs });
const [unsent, refusal] = [{ outcome: "failed" }, { outcome: "refused" }];
const forbidden = {
  ...unsent,
  reason: "The token may not write issues in the repository (HTTP status 403).",
};
const spent = (reset: string) => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset });

test.each<[status: number, text: string, delivery: object, headers?: Record<string, string>]>([
  [403, "API rate limit exceeded for user ID 1.", later(3_600_000), spent(inAnHour)],
  [429, "", later(86_400_000), spent("99999999999")],
  [403, limited, later(90_000), { "retry-after": "90" }],
  [403, limited, later(60_000), { "x-ratelimit-remaining": "4000" }],
  [401, "Bad credentials", unsent],
  [403, "Resource not accessible by integration", forbidden],
  [404, "Not Found", unsent],
  [410, "Issues are disabled for this repo", refusal],
  [422, "Validation Failed", refusal],
  [301, "Moved Permanently", unsent, { location: "/repositories/2/issues" }],
  [502, "<html><title>Unicorn!</title></html>", unsent],
  [503, "Service unavailable", later(5000), { "retry-after": "5" }],
  [200, "<title>Log in</title>", unsent],
  [200, '{ "issues": [] }', unsent],
])("at any step: %i %s", async (status, text, expected, headers = {}) => {
  const answer = /^[<{]/.test(text)
    ? { status, headers, text }
    : { status, headers, document: problem(text, status) };
  for (const step of ["GET", created, commented, closed]) {
    const api = await startGitHubApi();
    if (step !== "GET" && step !== created) await send(api, message());
    // Only lists of issues and the created issue are parsed, so the other steps accept any answer with status 200.
    if (status === 200 && step !== "GET" && step !== created) continue;
    api.instead = ({ method, path }) =>
      `${method} ${path}`.replace("/repos/example/mirrors", "").startsWith(step) ? answer : undefined;
    const what = step === "GET" || step === created ? message() : endMessage();
    const delivery = await send(api, what);
    expect(delivery).toMatchObject(expected);
    expect(JSON.stringify(delivery)).not.toMatch(/127\.0\.0\.1|ghs_|http:|Unicorn|user ID/);
  }
});

test.each(["", "two words", "a\r\nb: c"])("a token that cannot be one is not sent: %j", async (wrong) => {
  const api = await startGitHubApi();
  const delivery = await send(api, message(), { environment: { GITHUB_TOKEN: wrong } });
  expect(delivery).toMatchObject({
    outcome: "failed",
    reason: "GITHUB_TOKEN does not hold a token; set it to one that may write issues.",
  });
  expect(api.requests).toEqual([]);
});

test("the API of GitHub Enterprise has a path, and names of repositories no dots alone", async () => {
  const api = await startGitHubApi();
  api.instead = ({ path }) =>
    path === "/api/v3/repos/example/mirrors/issues" ? { status: 404, document: {} } : undefined;
  await send(api, message(), { environment: { GITHUB_API_URL: `${api.url}/api/v3/` } });
  expect(api.requests.map(({ path }) => path)).toEqual(["/api/v3/repos/example/mirrors/issues"]);
  const { repository: name, label } = channelTypes.github.options;
  expect(["a/..", "a/.", "a/b/c", "a"].filter((text) => name.safeParse(text).success)).toEqual([]);
  expect(["a,b", " a", "a\nb", ""].filter((text) => label.safeParse(text).success)).toEqual([]);
});
