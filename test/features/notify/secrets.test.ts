import { expect, test } from "vitest";
import { channelsKey } from "../../../src/core/config/channels.ts";
import { channelProblem } from "../../../src/features/notify/secrets.ts";
import { variablesOf } from "../../../src/core/config/channels.ts";

const [mail] = Object.values(
  channelsKey.parse({
    ops: {
      type: "email",
      server: "smtp.example.org",
      from: "mirrors@example.org",
      toEnv: "TO",
      userEnv: "USER_NAME",
      passwordEnv: "PASSWORD",
    },
  }),
);
if (mail === undefined) throw new Error("there is a channel");

test("a channel needs the variables that its keys name", () => {
  expect(variablesOf(mail)).toEqual(["TO", "USER_NAME", "PASSWORD"]);
  const problem = channelProblem(mail, { TO: "a@example.org", USER_NAME: " \n" });
  expect(problem).toBe("USER_NAME and PASSWORD are not set.");
});

const hook = { type: "webhook", urlEnv: "URL" };
const signed = { ...hook, secretEnv: "KEY" };
const url = "https://hooks.example.org/1?key=geheim";
const key = Buffer.alloc(32, "k").toString("base64");
const bytes = (count: number): string => Buffer.alloc(count, "k").toString("base64");

test.each<[string, object, Record<string, string>, string | undefined]>([
  ["a webhook", signed, { URL: url, KEY: `whsec_${key}` }, undefined],
  ["a key without its prefix", signed, { URL: url, KEY: key }, undefined],
  ["a key of 64 bytes", signed, { URL: url, KEY: bytes(64) }, undefined],
  ["variables that are not set", signed, { URL: "geheim" }, "KEY is not set"],
  [
    "no Base64",
    signed,
    { URL: url, KEY: "whsec_geheim geheim geheim geheim geheim" },
    "KEY does not hold a signing key",
  ],
  ["a key that is only a prefix", signed, { URL: url, KEY: "whsec_" }, "KEY does not hold a signing key"],
  ["a short key", signed, { URL: url, KEY: bytes(23) }, "KEY does not hold a signing key"],
  ["a long key", signed, { URL: url, KEY: bytes(65) }, "KEY does not hold a signing key"],
  ["no URL", hook, { URL: "geheim" }, "URL does not hold a URL"],
  ["a file", hook, { URL: "file:///geheim" }, "URL does not hold a URL"],
  ["no TLS", hook, { URL: "http://hooks.example.org/geheim" }, "URL holds a URL without TLS"],
  ["a private address", hook, { URL: "https://10.0.0.1/geheim" }, "URL holds a URL in a private network"],
  ["a local name", hook, { URL: "https://hooks.internal/geheim" }, "URL holds a URL in a private network"],
  ["what is allowed", { ...hook, allowPrivate: true }, { URL: "http://10.0.0.1/geheim" }, undefined],
  ["a GitHub token", hook, { URL: "ghp_geheim" }, "URL holds a GitHub token"],
  [
    "a URL without a topic",
    { ...hook, body: "ntfy" },
    { URL: "https://ntfy.example.org/" },
    "Its URL must end",
  ],
  ["mail", mail, { TO: "a@example.org", USER_NAME: "a", PASSWORD: "b" }, undefined],
  [
    "mail to nobody",
    mail,
    { TO: "geheim", USER_NAME: "a", PASSWORD: "b" },
    "TO does not hold 1 to 50 email addresses",
  ],
  [
    "a token of two lines",
    { type: "github", repository: "a/b" },
    { GITHUB_TOKEN: "geheim\ngeheim" },
    "GITHUB_TOKEN does not hold a token",
  ],
])("the problem of %s is found without sending, and is no secret", (_, entry, environment, problem) => {
  const [channel] = Object.values(channelsKey.parse({ ops: entry }));
  if (channel === undefined) throw new Error("There is a channel.");
  const found = channelProblem(channel, environment);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(new RegExp(`^${problem}.*\\.$`));
  expect(found ?? "").not.toContain("geheim");
});
