import { test } from "vitest";
import { parseAge, parseFeedUrl, parseTargetPath } from "../../../src/features/trust/query.ts";
import { expectRefused, expectTaken, type Parse } from "../../support/option-values.ts";

test.each<[Parse, Record<string, unknown>]>([
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
])("%o takes its values", expectTaken);

test.each<[Parse, readonly string[]]>([
  [parseAge, ["0h", "1", "1 h"]],
  [parseTargetPath, ["community/jcb", "community/jcb/../packages", "a/b/c//"]],
  [parseFeedUrl, ["a.example.org", "https://a.example.org/?a", "https://a.example.org/|"]],
])("%o refuses other texts with a sentence", expectRefused);
