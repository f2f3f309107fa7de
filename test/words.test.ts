import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "./support/temporary-folder.ts";

const linter = join(import.meta.dirname, "../.ci/words.js");

/** Returns what the linter prints about a file, without the file's folder, and its exit code. */
function lint(
  name: string,
  text: string,
): { readonly lines: readonly string[]; readonly code: number | null } {
  const folder = temporaryFolder();
  writeFileSync(join(folder, name), text);
  const { stdout, status } = spawnSync(process.execPath, [linter, join(folder, name)], { encoding: "utf8" });
  return { lines: stdout.replaceAll(`${folder}/`, "").split("\n").slice(0, -1), code: status };
}

/** Joins the parts of an unwanted word, which this file must not hold itself. */
const word = (...parts: readonly string[]): string => parts.join("");

describe("the word list of the linter", () => {
  it.each([
    ["a.ts", word("const to", "ldAll = 1;"), `a.ts:1: "${word("to", "ld")}": write said, logged or known`],
    ["a.ts", word("const is_to", "ld = 1;"), `a.ts:1: "${word("to", "ld")}": write said, logged or known`],
    ["a.ts", word("\nconst mo", "stRows = 3;"), `a.ts:2: "${word("mo", "stRows")}": write maxX or minX`],
    ["a.ts", word('throw new Error("a u', 'rl");'), `a.ts:1: "${word("a u", "rl")}": write URL`],
    ["a.ts", word("// Fetches a gi", "t branch."), `a.ts:1: "${word("gi", "t")}": write Git`],
    ["a.md", word("It lasts for\never", "."), `a.md:1: "${word("for ev", "er")}": write without end`],
    [
      "a.ts",
      word("/**\n * made\n * o", "f files\n */"),
      `a.ts:2: "${word("made o", "f")}": write of or from`,
    ],
    ["a.yml", word("# Ou", "rs."), `a.yml:1: "${word("Ou", "rs")}": write mirrorfeed, or name the thing`],
    [
      "a.ts",
      word("/** The n", "ame. */\nexport function f(): void {}"),
      `a.ts:1: "${word("Th", "e")}": write a verb in the third person, such as "Returns"`,
    ],
  ])("finds, in %s, %j", (name, text, line) => {
    expect(lint(name, text)).toEqual({ lines: [line], code: 1 });
  });

  it.each([
    ["a.tsx", 'const mark = <span class="url">{url}</span>;'],
    ["a.ts", 'import { url } from "git";\nconst remote = run("git fetch");'],
    ["a.md", "See `git fetch`, https://git.example/ and\n\n```\ngit fetch url\n```"],
    ["a.ts", "/** Returns the almost longest toldo. */\nexport function almostAll(): void {}"],
  ])("allows, in %s, %j", (name, text) => {
    expect(lint(name, text)).toEqual({ lines: [], code: 0 });
  });

  it("finds none in the tracked files", () => {
    const { stdout, status } = spawnSync(process.execPath, [linter], { encoding: "utf8" });
    expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
  });
});
