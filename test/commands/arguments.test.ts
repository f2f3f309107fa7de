import { describe, expect, test } from "vitest";
import {
  readListen,
  readPort,
  readRunId,
  readShard,
  readTime,
  readVantage,
} from "../../src/commands/arguments.ts";
import { InputError } from "../../src/errors.ts";

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  readListen,
  readPort,
  readRunId,
  readShard,
  readTime,
  readVantage,
};

describe("an argument", () => {
  test.each<[string, string, unknown]>([
    ["readPort", "0", 0],
    ["readPort", "65535", 65_535],
    ["readListen", "8080", { address: "0.0.0.0", port: 8080 }],
    ["readListen", "127.0.0.1:80", { address: "127.0.0.1", port: 80 }],
    ["readListen", "[::1]:80", { address: "::1", port: 80 }],
    ["readTime", "60s", 60_000],
    ["readTime", "5m", 300_000],
    ["readTime", "1h", 3_600_000],
    ["readTime", "7d", 604_800_000],
    ["readVantage", "eu-west.1", "eu-west.1"],
    ["readShard", "2/3", { index: 2, count: 3 }],
    ["readRunId", "1234.1", "1234.1"],
  ])("%s takes %s", (reader, text, value) => {
    expect(readers[reader]?.(text)).toEqual(value);
  });

  test.each<[string, string]>([
    ["readPort", "65536"],
    ["readPort", "-1"],
    ["readPort", "http"],
    ["readListen", "here"],
    ["readListen", "::1:80:"],
    ["readListen", "a;b:80"],
    ["readTime", "60"],
    ["readTime", "0s"],
    ["readTime", "8000h"],
    ["readTime", "999ms"],
    ["readTime", "8d"],
    ["readTime", "1w"],
    ["readVantage", "EU"],
    ["readVantage", "../x"],
    ["readShard", "0/3"],
    ["readShard", "4/3"],
    ["readShard", "1"],
    ["readShard", "1/1001"],
    ["readRunId", ""],
    ["readRunId", "a b"],
    ["readRunId", "\u001b[2J"],
  ])("%s refuses %j with a sentence", (reader, text) => {
    expect(() => readers[reader]?.(text)).toThrow(InputError);
    expect(() => readers[reader]?.(text)).toThrow(/^"[^\u001b]*" is no .*\.$/);
  });
});
