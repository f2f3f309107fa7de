import { expect, test } from "vitest";
import { startProvider } from "../support/mirror-server.ts";
import { runProgram } from "../support/child.ts";
import { runInProcess } from "../support/in-process.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { startGitHubApi } from "../support/github-api.ts";
import { writeFeed } from "../support/mirror-feed.ts";
import { startSmtpReplies } from "../support/smtp-replies.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const token = "ghs_16C7e42F292c6912E7710c838347Ae178B4a";

/** Runs a feed whose only mirror goes offline, and sends the resulting notifications: by default, in this process. */
async function notify(
  channels: object,
  environment: Readonly<Record<string, string>>,
  start: typeof runProgram = runInProcess,
) {
  const folder = temporaryFolder();
  const provider = closeAfterTest(await startProvider());
  let isOnline = true;
  const { url } = provider.mount("mirror", ({ response }) => {
    response.writeHead(isOnline ? 200 : 503).end();
  });
  const rules = { to: Object.keys(channels), events: ["offline"], after: "0s" };
  const site = { url: "https://status.example.org/" };
  writeFeed(folder, [url], { kind: "http" }, { site, notify: rules, channels });
  const validated = await runInProcess(["validate"], { folder });
  const runs = [];
  for (isOnline of [true, false, false]) runs.push(await runInProcess(["run"], { folder, environment }));
  const sent = await start(["notify"], { folder, environment });
  return { validated, sent, printed: JSON.stringify([...runs, sent]) };
}

function mailTo(port: number, variables: object) {
  const server = { server: "127.0.0.1", port, security: "none", allowPrivate: true };
  return { type: "email", ...server, from: "a@example.org", toEnv: "ADMIN", ...variables };
}

const issues = { type: "github", repository: "example/mirrors", allowPrivate: true };

test("the token of GitHub goes where GITHUB_API_URL says, and is not in what is printed", async () => {
  const api = await startGitHubApi();
  const environment = { GITHUB_TOKEN: token, GITHUB_API_URL: api.url };
  const { validated, printed } = await notify({ issues }, environment, runProgram);
  expect(validated).toMatchObject({ code: 0 });
  expect(api.requests.length).toBeGreaterThan(0);
  expect(printed).not.toContain(token);
});

test.each<[string, object, object]>([
  ["GITHUB_TOKEN", { passwordEnv: "GITHUB_TOKEN" }, {}],
  ["GITHUB_TOKEN as a user", { userEnv: "GITHUB_TOKEN" }, {}],
  ["GITHUB_TOKEN as an address", { toEnv: "GITHUB_TOKEN" }, {}],
  ["a token of the runner", { passwordEnv: "ACTIONS_ID_TOKEN_REQUEST_TOKEN" }, {}],
  ["another channel's variable", { passwordEnv: "ISSUES" }, { issues: { ...issues, tokenEnv: "ISSUES" } }],
])("%s is not sent by a channel of mirrors.json, and validate says so", async (_, variables, others) => {
  const mail = await startSmtpReplies({});
  const { validated, sent } = await notify(
    { admin: mailTo(mail.port, variables), ...others },
    { ADMIN: "a@example.org", GITHUB_TOKEN: token, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token, ISSUES: token },
  );
  expect(validated).toMatchObject({ code: 2 });
  expect(validated.stderr.match(/channels\.\S+/g)).toEqual([
    expect.stringMatching(/^channels\.admin\.\w+Env:$/),
  ]);
  expect(sent).toMatchObject({ code: 2 });
  expect(mail.lines).toEqual([]);
});

test("a token of GitHub under another name is not sent either", async () => {
  const mail = await startSmtpReplies({});
  const { validated, printed } = await notify({ admin: mailTo(mail.port, {}) }, { ADMIN: token });
  expect(validated).toMatchObject({ code: 0 });
  expect(printed).toContain("ADMIN holds a GitHub token");
  expect(printed).not.toContain(token);
  expect(mail.lines.join("\n")).not.toContain(token);
});
