import { test } from "vitest";
import { parseMinimum } from "../../../src/features/pick/check-command.ts";
import { parseCountry, parseExcluded, parseFallback } from "../../../src/features/pick/pick-command.ts";
import { expectRefused, expectTaken, type Parse } from "../../support/option-values.ts";

test.each<[Parse, Record<string, unknown>]>([
  [parseMinimum, { "2": 2 }],
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
])("%o takes its values", expectTaken);

test.each<[Parse, readonly string[]]>([
  [parseMinimum, ["0", "1.5", "\u001b[2J"]],
  [parseCountry, ["", "d", "deu", "UK", "1a", "é."]],
  [parseExcluded, ["", "https://a", "a/b", "a b", "::1", "a:b", "a@b", "a\u001b", "a:99999"]],
  [
    parseFallback,
    ["", "--upload-pack=x", "https://user:secret@a/b", "https://a/b c", "https://a\n", "https://ü/"],
  ],
])("%o refuses other texts with a sentence", expectRefused);
