import { test } from "vitest";
import { parseMinimum } from "../../../src/features/pick/check-command.ts";
import { parseCountry, parseExcluded, parseFallback } from "../../../src/features/pick/pick-command.ts";
import { parseAge, parseFeedUrl, parseTargetPath } from "../../../src/features/trust/query.ts";
import {
  parsePath,
  parseRef,
  parseRevision,
  parseShare,
  parseSize,
} from "../../../src/features/wait/wait-command.ts";
import { expectRefused, expectTaken, type Parse } from "../../support/option-values.ts";

const fallbacks = ["https://a/b.git", "git@a.example.org:b/c", "ssh://git@a/b", "/srv/git/a", "file:///a"];

test.each<[Parse, Record<string, unknown>]>([
  [parseMinimum, { "2": 2 }],
  [parseCountry, { de: "DE", GB: "GB" }],
  [parseExcluded, { "a.example.org": ["a.example.org"], "b:8443": ["b:8443"], "[::1]": ["[::1]"] }],
  [parseFallback, Object.fromEntries(fallbacks.map((url) => [url, url]))],
  [parseAge, { "1h": 3_600_000, "2d": 172_800_000 }],
  [parseTargetPath, { "community/jcb/packages": "community/jcb/packages", "a/b/c/": "a/b/c" }],
  [
    parseFeedUrl,
    {
      "https://status.example.org/a": "https://status.example.org/a/",
      "https://a.example.org/v1/network": "https://a.example.org/",
      "https://a.example.org/b/v1/network/s/p/t/": "https://a.example.org/b/",
      "https://a.example.org/v1/report/": "https://a.example.org/",
    },
  ],
  [parseShare, { "3": { count: 3 }, "80%": { percent: 80 }, "100%": { percent: 100 } }],
  [parseRef, { "v2.0": "v2.0", ["a".repeat(190)]: "a".repeat(190) }],
  [parsePath, { "releases/2.0%20beta.zip": "releases/2.0%20beta.zip" }],
  [parseSize, { "0": 0, "4294967296": 4_294_967_296 }],
  [parseRevision, { "9f2c41d": "9f2c41d" }],
])("%o takes its values", expectTaken);

const credentials = "https://user:secret@a/b";

test.each<[Parse, readonly string[]]>([
  [parseMinimum, ["0", "1.5", "\u001b[2J"]],
  [parseCountry, ["", "d", "deu", "UK", "1a", "é."]],
  [parseExcluded, ["", "https://a", "a/b", "a b", "::1", "a:b", "a@b", "a\u001b", "a:99999"]],
  [parseFallback, ["", "--upload-pack=x", credentials, "https://a/b c", "https://a\n", "https://ü/"]],
  [parseAge, ["0h", "1", "1 h"]],
  [parseTargetPath, ["community/jcb", "community/jcb/../packages", "a/b/c//"]],
  [parseFeedUrl, ["a.example.org", "https://a.example.org/?a", "https://a.example.org/|"]],
  [parseShare, ["0", "101%", "1.5", "80 %", "all"]],
  [parseRef, ["", "-v", "/v2", "v2/", "v 2", "refs/heads/*", "a:b", "\u001b[2J", "a".repeat(191)]],
  [parsePath, ["", "/a", "a?b", "a b", "ä"]],
  [parseSize, ["", "-1", "1.5", "10M", "1".repeat(16)]],
  [parseRevision, ["", "9f2c41", "9f2c 41d", "x".repeat(65)]],
])("%o refuses other texts with a sentence", expectRefused);
