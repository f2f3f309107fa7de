import { test } from "vitest";
import {
  parsePath,
  parseRef,
  parseRevision,
  parseShare,
  parseSize,
} from "../../../src/features/wait/wait-command.ts";
import { expectRefused, expectTaken, type Parse } from "../../support/option-values.ts";

test.each<[Parse, Record<string, unknown>]>([
  [parseShare, { "3": { count: 3 }, "80%": { percent: 80 }, "100%": { percent: 100 } }],
  [parseRef, { "v2.0": "v2.0", ["a".repeat(190)]: "a".repeat(190) }],
  [parsePath, { "releases/2.0%20beta.zip": "releases/2.0%20beta.zip" }],
  [parseSize, { "0": 0, "4294967296": 4_294_967_296 }],
  [parseRevision, { "9f2c41d": "9f2c41d" }],
])("%o takes its values", expectTaken);

test.each<[Parse, readonly string[]]>([
  [parseShare, ["0", "101%", "1.5", "80 %", "all"]],
  [parseRef, ["", "-v", "/v2", "v2/", "v 2", "refs/heads/*", "a:b", "\u001b[2J", "a".repeat(191)]],
  [parsePath, ["", "/a", "a?b", "a b", "ä"]],
  [parseSize, ["", "-1", "1.5", "10M", "1".repeat(16)]],
  [parseRevision, ["", "9f2c41", "9f2c 41d", "x".repeat(65)]],
])("%o refuses other texts with a sentence", expectRefused);
