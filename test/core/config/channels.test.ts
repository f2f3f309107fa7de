import { describe, expect, test } from "vitest";
import { channelsKey, channelTypes } from "../../../src/core/config/channels.ts";
import { mirrorsJson, problemsIn } from "../../support/mirrors-json.ts";

const hook = { type: "webhook", urlEnv: "OPS_URL" };

function configWith(channels: object): object {
  return mirrorsJson([{ id: 1, url: "https://git.example.org/a/b" }], { channels });
}

describe("a channel", () => {
  test.each(Object.entries(channelTypes))(
    "%s has an example that is valid, and holds no secret",
    (type, channel) => {
      const parsed = channelsKey.parse({ own: { type, ...channel.example } });
      expect(parsed["own"]).toMatchObject({ type, ...channel.example });
      for (const key of Object.keys(channel.options)) expect(key).not.toMatch(/password$|token$|secret$/i);
    },
  );

  test.each<[object, string]>([
    [{ contact: hook }, 'channels.contact: must be a name made of a-z, 0-9, "_" and "-", other than contact'],
    [{ Ops: hook }, "channels.Ops: must be a name"],
    [{ ops: {} }, 'channels.ops.type: must be one of "email", "github", "webhook"'],
    [{ ops: { type: "pager" } }, 'channels.ops.type: must be one of "email"'],
    [{ ops: { type: "webhook", urlEnv: "https://example.org/hook" } }, "channels.ops.urlEnv: must name an"],
    ...["GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_RUNTIME_TOKEN", "CI_JOB_TOKEN"].map((name): [object, string] => [
      { ops: { ...hook, secretEnv: name } },
      "channels.ops.secretEnv: is a CI variable",
    ]),
    [
      {
        ops: { ...hook, secretEnv: "ISSUES" },
        issues: { type: "github", repository: "a/b", tokenEnv: "ISSUES" },
      },
      'channels.ops.secretEnv: is the variable with the GitHub token of the channel "issues"; use another variable here, since only GitHub may receive that token',
    ],
    [
      { issues: { type: "github", repository: "a/b", apiUrl: "https://github.example.org" } },
      "channels.issues.apiUrl: is not a known key",
    ],
    ...["127.0.0.1", "10.1.2.3", "localhost", "mail.internal"].map((server): [object, string] => [
      { ops: { ...channelTypes.email.example, type: "email", server } },
      `channels.ops.server: "${server}" is in a private network; if that is intended, add "allowPrivate": true to this channel`,
    ]),
    [{ ops: { type: "webhook", url: "https://example.org" } }, "channels.ops.urlEnv: is missing"],
    [{ ops: { ...hook, url: "https://example.org" } }, "channels.ops.url: is not a known key"],
  ])("is refused with its place and the remedy: %j", (own, problem) => {
    expect(problemsIn(configWith(own))[0]).toContain(problem);
  });

  test("may be in a private network if it says so", () => {
    const local = { ...channelTypes.email.example, type: "email", server: "localhost", allowPrivate: true };
    expect(problemsIn(configWith({ ops: local }))).toEqual([]);
  });

  test("is one of a thousand at most", () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`c${index}`, hook]));
    expect(problemsIn(configWith(many))).toEqual(["channels: must have 1000 channels or fewer"]);
  });
});
