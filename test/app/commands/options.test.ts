import { test } from "vitest";
import {
  parsePort,
  parseRunId,
  parseSiteUrl,
  parseTimeout,
  parseVantage,
} from "../../../src/core/command/command.ts";
import { parseShard } from "../../../src/app/commands/shard.ts";
import { parseInterval } from "../../../src/app/commands/watch-command.ts";
import { expectRefused, expectTaken, type Parse } from "../../support/option-values.ts";

test.each<[Parse, Record<string, unknown>]>([
  [parsePort, { "0": 0, "65535": 65_535 }],
  [parseInterval, { "60s": 60_000, "5m": 300_000, "1h": 3_600_000, "7d": 604_800_000 }],
  [parseTimeout, { "500ms": 500, "5s": 5000 }],
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
])("%o takes its values", expectTaken);

test.each<[Parse, readonly string[]]>([
  [parsePort, ["65536", "-1", "http"]],
  [parseInterval, ["60", "0s", "8000h", "999ms", "8d", "1w"]],
  [parseTimeout, ["0s", "6m", "1h"]],
  [parseVantage, ["EU", "../x"]],
  [parseShard, ["0/3", "4/3", "1", "1/1001", "auto/0", "auto/1001", "automatic"]],
  [parseRunId, ["", "a b", "\u001b[2J"]],
  [parseSiteUrl, ["octocat.github.io/feed", "https://octocat.github.io/feed?x", "file:///feed"]],
])("%o refuses other texts with a sentence", expectRefused);
