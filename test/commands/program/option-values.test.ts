import { describe, expect, test } from "vitest";
import {
  parseListen,
  parsePort,
  parseRunId,
  parseShard,
  parseSiteUrl,
  parseInterval,
  parseVantage,
} from "../../../src/commands/program/option-values.ts";
import { InputError } from "../../../src/base/errors.ts";

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  parseListen,
  parsePort,
  parseRunId,
  parseShard,
  parseSiteUrl,
  parseInterval,
  parseVantage,
};

describe("an argument", () => {
  test.each<[string, string, unknown]>([
    ["parsePort", "0", 0],
    ["parsePort", "65535", 65_535],
    ["parseListen", "8080", { address: "0.0.0.0", port: 8080 }],
    ["parseListen", "127.0.0.1:80", { address: "127.0.0.1", port: 80 }],
    ["parseListen", "[::1]:80", { address: "::1", port: 80 }],
    ["parseInterval", "60s", 60_000],
    ["parseInterval", "5m", 300_000],
    ["parseInterval", "1h", 3_600_000],
    ["parseInterval", "7d", 604_800_000],
    ["parseVantage", "eu-west.1", "eu-west.1"],
    ["parseShard", "2/3", { index: 2, count: 3 }],
    ["parseShard", "auto", { index: "auto", count: undefined }],
    ["parseShard", "auto/3", { index: "auto", count: 3 }],
    ["parseRunId", "1234.1", "1234.1"],
    ["parseSiteUrl", "https://octocat.github.io/Repo.x", "https://octocat.github.io/Repo.x"],
    ["parseSiteUrl", "", ""],
  ])("%s takes %s", (reader, text, value) => {
    expect(readers[reader]?.(text)).toEqual(value);
  });

  test.each<[string, string]>([
    ["parsePort", "65536"],
    ["parsePort", "-1"],
    ["parsePort", "http"],
    ["parseListen", "here"],
    ["parseListen", "::1:80:"],
    ["parseListen", "a;b:80"],
    ["parseInterval", "60"],
    ["parseInterval", "0s"],
    ["parseInterval", "8000h"],
    ["parseInterval", "999ms"],
    ["parseInterval", "8d"],
    ["parseInterval", "1w"],
    ["parseVantage", "EU"],
    ["parseVantage", "../x"],
    ["parseShard", "0/3"],
    ["parseShard", "4/3"],
    ["parseShard", "1"],
    ["parseShard", "1/1001"],
    ["parseShard", "auto/0"],
    ["parseShard", "auto/1001"],
    ["parseShard", "automatic"],
    ["parseRunId", ""],
    ["parseRunId", "a b"],
    ["parseRunId", "\u001b[2J"],
  ])("%s refuses %j with a sentence", (reader, text) => {
    expect(() => readers[reader]?.(text)).toThrow(InputError);
    expect(() => readers[reader]?.(text)).toThrow(/^"[^\u001b]*" is not an? .*\.$/);
  });

  test.each(["octocat.github.io/feed", "https://octocat.github.io/feed?x", "file:///feed"])(
    "--site-url %s is refused with a sentence",
    (text) => {
      expect(() => parseSiteUrl(text)).toThrow(InputError);
      expect(() => parseSiteUrl(text)).toThrow(/^--site-url: .*; .*\.$/);
    },
  );
});
