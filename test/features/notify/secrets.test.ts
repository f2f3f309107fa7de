import { expect, test } from "vitest";
import { type ChannelConfig, channelsKey, variablesOf } from "../../../src/core/config/channels.ts";
import { channelProblem } from "../../../src/features/notify/secrets.ts";

const hook = { type: "webhook", urlEnv: "URL" };
const signed = { ...hook, secretEnv: "KEY" };
const local = { ...hook, allowPrivate: true };
const mail = {
  ...{ type: "email", server: "smtp.example.org", from: "mirrors@example.org" },
  ...{ toEnv: "TO", userEnv: "NAME", passwordEnv: "PASSWORD" },
};
const issues = { type: "github", repository: "a/b" };
const url = "https://hooks.example.org/1?key=geheim";
const bytes = (count: number): string => Buffer.alloc(count, "k").toString("base64");
const key = bytes(32);
const login = { NAME: "a", PASSWORD: "b" };
const [noKey, noUrl] = ["KEY does not hold a signing key", "URL does not hold a URL"];
const noReceiver =
  "TO does not hold 1 to 50 email addresses; write one such as ops@example\\.org, or several";
const receivers = (count: number): string => Array.from({ length: count }, (_, at) => `a${at}@b.org`).join();
const inside = "URL holds a URL in a private network";

function channelOf(entry: object): ChannelConfig {
  const [channel] = Object.values(channelsKey.parse({ ops: entry }));
  if (channel === undefined) throw new Error("There is no channel.");
  return channel;
}

test("a channel needs the variables that its keys name", () => {
  expect(variablesOf(channelOf(mail))).toEqual(["TO", "NAME", "PASSWORD"]);
});

test.each<[string, object, Record<string, string>, string | undefined]>([
  ["a webhook", signed, { URL: url, KEY: `whsec_${key}` }, undefined],
  ["a key without its prefix", signed, { URL: url, KEY: key }, undefined],
  ["a key of 64 bytes", signed, { URL: url, KEY: bytes(64) }, undefined],
  ["a variable that is not set", signed, { URL: "geheim" }, "KEY is not set"],
  ["variables that are empty", mail, { TO: "a@example.org", NAME: " \n" }, "NAME and PASSWORD are not set"],
  ["no Base64", signed, { URL: url, KEY: "whsec_geheim geheim geheim geheim geheim" }, noKey],
  ["a key that is only a prefix", signed, { URL: url, KEY: "whsec_" }, noKey],
  ["a short key", signed, { URL: url, KEY: bytes(23) }, noKey],
  ["a long key", signed, { URL: url, KEY: bytes(65) }, noKey],
  ["no URL", hook, { URL: "geheim" }, noUrl],
  ["a file", hook, { URL: "file:///geheim" }, noUrl],
  ["no TLS", hook, { URL: "http://hooks.example.org/geheim" }, "URL holds a URL without TLS"],
  ["a private address", hook, { URL: "https://10.0.0.1/geheim" }, inside],
  ["a local name", hook, { URL: "https://hooks.internal/geheim" }, inside],
  ["what is allowed", local, { URL: "http://10.0.0.1/geheim" }, undefined],
  ["a GitHub token", hook, { URL: "ghp_geheim" }, "URL holds a GitHub token"],
  ["no topic", { ...hook, body: "ntfy" }, { URL: "https://ntfy.example.org/" }, "Its URL must end"],
  ["mail", mail, { TO: "a@example.org", ...login }, undefined],
  ["mail to nobody", mail, { TO: " , ", ...login }, noReceiver],
  ["mail to a word", mail, { TO: "a@example.org, geheim", ...login }, noReceiver],
  ["mail with a header", mail, { TO: "a@example.org\r\nBcc: geheim@example.org", ...login }, noReceiver],
  ["mail to 51 receivers", mail, { TO: receivers(51), ...login }, noReceiver],
  ["mail to 50 receivers", mail, { TO: receivers(50), ...login }, undefined],
  ["two lines", issues, { GITHUB_TOKEN: "geheim\ngeheim" }, "GITHUB_TOKEN does not hold a token"],
])("the problem of %s is found without sending, and is no secret", (_, entry, environment, problem) => {
  const found = channelProblem(channelOf(entry), environment);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(new RegExp(`^${problem}.*\\.$`));
  expect(found ?? "").not.toContain("geheim");
});
