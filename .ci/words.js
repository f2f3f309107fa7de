// Usage: node .ci/words.js [FILE…]   Prints each unwanted word of .ci/word-list.js in the tracked text files.
// ESLint reads neither Markdown nor YAML and no comments; cspell knows no phrases and takes seconds to start.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { allowed, skipped, words } from "./word-list.js";

/** A phrase may go on in the next line, behind the mark of a comment. */
const gap = String.raw`(?:\s|\n[\s/*#]*)+`;
const rules = words.map(([word, better, where = "all"]) => {
  const [before, after] = where === "prose" ? ["[\\w./-]", "[\\w-]"] : ["[A-Za-z]", "[A-Za-z]"];
  const pattern = `(?<!${before})(?:${word.replaceAll(" ", gap)})(?!${after})`;
  return { pattern: new RegExp(pattern, where === "all" ? "gi" : "g"), better, where };
});

/** Returns the text with a space between the words of each identifier, and nothing else changed. */
function splitIdentifiers(text) {
  return text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, " ").replaceAll("_", " ");
}

/** Returns the text with its code left blank: what remains is comments, or a document without its code samples. */
function proseOf(file, text) {
  const blank = (code) => code.replaceAll(/[^\n]/g, " ");
  if (file.endsWith(".md")) return text.replaceAll(/```[^]*?```|`[^`\n]*`|\]\([^)]*\)|https?:\S+/g, blank);
  const comment = /\.(?:ya?ml|conf)$/.test(file)
    ? /(?<=(?:^|\s)#)[^\n]*/g
    : /\/\*[^]*?\*\/|(?<=(?:^|\s)\/\/)[^\n]*/g;
  const parts = [...text.matchAll(comment)];
  const ends = [0, ...parts.map((part) => part.index + part[0].length)];
  const prose = parts.map((part, index) => blank(text.slice(ends[index], part.index)) + part[0]).join("");
  return prose.replaceAll(/`[^`\n]*`|https?:\S+|\S+\.\w+\/?\S*/g, blank);
}

/** Returns one line for each unwanted word: `file:line: "word": write "better"`. */
export function unwantedWords(file, text) {
  const permitted = allowed.filter(({ files }) => files.test(file));
  const blanked = permitted.reduce(
    (rest, { text: use }) => rest.replaceAll(use, (found) => found.replaceAll(/[^\n]/g, ".")),
    text,
  );
  const views = { all: splitIdentifiers(blanked), code: blanked, prose: proseOf(file, blanked) };
  return rules.flatMap(({ pattern, better, where }) =>
    [...views[where].matchAll(pattern)].map(({ 0: word, index }) => {
      const line = views[where].slice(0, index).split("\n").length;
      return `${file}:${line}: "${word.replaceAll(/\s[\s/*#]*/g, " ")}": write ${better}`;
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const tracked = execFileSync("git", ["ls-files"], { encoding: "utf8" }).trim().split("\n");
  const named = process.argv.slice(2);
  const files = (named.length > 0 ? named : tracked).filter((file) => !skipped.test(file));
  const lines = files.flatMap((file) => unwantedWords(file, readFileSync(file, "utf8")));
  if (lines.length > 0) console.log(lines.join("\n"));
  process.exitCode = lines.length > 0 ? 1 : 0;
}
