import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { shellWord } from "../../../../src/core/base/text/quote.ts";

test.each([
  ["feeds/one", "feeds/one"],
  ["https://a.example.org:8443/b%20c@d+e=f", "https://a.example.org:8443/b%20c@d+e=f"],
  ["~x", "'~x'"],
  ["a b", "'a b'"],
  ["", "''"],
  ["it's", String.raw`'it'\''s'`],
])("%j is written as %s", (text, word) => {
  expect(shellWord(text)).toBe(word);
});

describe.skipIf(process.platform === "win32")("a shell", () => {
  test.each(["~", "~root", "a:~/b", "", "it's", "$(id)`id`", "a\nb", "*?[a]", "{a,b}", "#a", "\\", "!1"])(
    "reads it as it was: %j",
    (text) => {
      const printed = execFileSync("sh", ["-c", `printf '%s.' ${shellWord(text)}`], { encoding: "utf8" });
      expect(printed).toBe(`${text}.`);
    },
  );
});
