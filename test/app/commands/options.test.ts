import { expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { parseMinimum } from "../../../src/features/pick/check-command.ts";
import {
  parsePort,
  parseRunId,
  parseSiteUrl,
  parseTimeout,
  parseVantage,
} from "../../../src/core/command/command.ts";
import { parseListen } from "../../../src/features/hosts/host-command.ts";
import { parseCountry, parseExcluded, parseFallback } from "../../../src/features/pick/pick-command.ts";
import { parseAge, parseFeedUrl, parseTargetPath } from "../../../src/features/trust/query.ts";
import { parseShard } from "../../../src/app/commands/shard.ts";
import { parsePath, parseRef, parseRevision, parseShare } from "../../../src/features/wait/wait-command.ts";
import { parseInterval } from "../../../src/app/commands/watch-command.ts";

type Parse = (text: string) => unknown;

test.each<[Parse, Record<string, unknown>]>([
  [parsePort, { "0": 0, "65535": 65_535 }],
  [
    parseListen,
    {
      "8080": { address: "0.0.0.0", port: 8080 },
      "127.0.0.1:80": { address: "127.0.0.1", port: 80 },
      "[::1]:80": { address: "::1", port: 80 },
    },
  ],
  [parseInterval, { "60s": 60_000, "5m": 300_000, "1h": 3_600_000, "7d": 604_800_000 }],
  [parseTimeout, { "500ms": 500, "5s": 5000 }],
  [parseAge, { "1h": 3_600_000, "2d": 172_800_000 }],
  [parseMinimum, { "2": 2 }],
  [parseShare, { "3": { count: 3 }, "80%": { percent: 80 }, "100%": { percent: 100 } }],
  [parseRef, { "v2.0": "v2.0", ["a".repeat(190)]: "a".repeat(190) }],
  [parsePath, { "releases/2.0%20beta.zip": "releases/2.0%20beta.zip" }],
  [parseRevision, { "9f2c41d": "9f2c41d" }],
  [parseVantage, { "eu-west.1": "eu-west.1" }],
  [
    parseShard,
    {
      "2/3": { index: 2, count: 3 },
      auto: { index: "auto", count: undefined },
      "auto/3": { index: "auto", count: 3 },
    },
  ],
  [parseRunId, { "1234.1": "1234.1" }],
  [parseSiteUrl, { "https://octocat.github.io/Repo.x": "https://octocat.github.io/Repo.x", "": "" }],
  [parseTargetPath, { "community/jcb/packages": "community/jcb/packages" }],
  [parseFeedUrl, { "https://status.example.org/a": "https://status.example.org/a/" }],
  [parseCountry, { de: "DE", GB: "GB" }],
  [parseExcluded, { "a.example.org": ["a.example.org"], "b:8443": ["b:8443"], "[::1]": ["[::1]"] }],
  [
    parseFallback,
    Object.fromEntries(
      ["https://a/b.git", "git@a.example.org:b/c", "ssh://git@a/b", "/srv/git/a", "file:///a"].map((url) => [
        url,
        url,
      ]),
    ),
  ],
])("%o takes its values", (parse, values) => {
  for (const [text, value] of Object.entries(values)) expect(parse(text), text).toEqual(value);
});

test.each<[Parse, readonly string[]]>([
  [parsePort, ["65536", "-1", "http"]],
  [parseListen, ["here", "::1:80:", "a;b:80"]],
  [parseInterval, ["60", "0s", "8000h", "999ms", "8d", "1w"]],
  [parseTimeout, ["0s", "6m", "1h"]],
  [parseAge, ["0h", "1", "1 h"]],
  [parseMinimum, ["0", "1.5", "\u001b[2J"]],
  [parseShare, ["0", "101%", "1.5", "80 %", "all"]],
  [parseRef, ["", "-v", "/v2", "v2/", "v 2", "refs/heads/*", "a:b", "\u001b[2J", "a".repeat(191)]],
  [parsePath, ["", "/a", "a?b", "a b", "ä"]],
  [parseRevision, ["", "9f2c41", "9f2c 41d", "x".repeat(65)]],
  [parseVantage, ["EU", "../x"]],
  [parseShard, ["0/3", "4/3", "1", "1/1001", "auto/0", "auto/1001", "automatic"]],
  [parseRunId, ["", "a b", "\u001b[2J"]],
  [parseSiteUrl, ["octocat.github.io/feed", "https://octocat.github.io/feed?x", "file:///feed"]],
  [parseTargetPath, ["community/jcb", "community/jcb/../packages"]],
  [
    parseFeedUrl,
    [
      "a.example.org",
      "https://a.example.org/v1/network/",
      "https://a.example.org/?a",
      "https://a.example.org/|",
    ],
  ],
  [parseCountry, ["", "d", "deu", "UK", "1a", "é."]],
  [parseExcluded, ["", "https://a", "a/b", "a b", "::1", "a:b", "a@b", "a\u001b", "a:99999"]],
  [
    parseFallback,
    ["", "--upload-pack=x", "https://user:secret@a/b", "https://a/b c", "https://a\n", "https://ü/"],
  ],
])("%o refuses other texts with a sentence", (parse, texts) => {
  for (const text of texts) {
    expect(() => parse(text), text).toThrow(InputError);
    expect(() => parse(text), text).toThrow(
      /^(?:"|--site-url: )[^\u001b\n]*(?:is|contains|has) [^\u001b\n]*\.$/,
    );
  }
});
