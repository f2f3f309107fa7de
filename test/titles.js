import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

// node test/titles.js OLD.json NEW.json: compares two reports of `vitest run --reporter=json`. Each title of the old one
// must be in the new one, as it is or as titles.txt changes it: by lines of `old => new`, each of a whole title or of a
// part, in which %s stands for any text and " > " for the step from a suite to its test. Files and numbers do not count.
const [before, after] = process.argv.slice(2).map(titlesOf);
if (after === undefined) {
  console.error("Usage: node test/titles.js OLD.json NEW.json");
  process.exit(2);
}

const file = join(import.meta.dirname, "titles.txt");
const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
const changes = lines
  .filter((line) => line.includes(" => "))
  .map((line) => line.split(" => ").map((part) => withoutNumbers(part.trim().replaceAll(" > ", " "))))
  .map(([old, next]) => ({ pattern: new RegExp(old.split(/%\w/).map(escaped).join("(.+?)")), next }));

const lost = [...before].filter((title) => !isKept(title, changes));
for (const title of lost) console.log(title);
console.error(`${before.size} titles, ${lost.length} of them lost; ${after.size} now.`);
process.exit(lost.length === 0 ? 0 : 1);

/** Whether a title is in the new report, after any of the changes, each made once. */
function isKept(title, left) {
  if (after.has(title)) return true;
  return left.some((change) => {
    const changed = title.replace(change.pattern, (_, ...texts) =>
      change.next.replaceAll(/%\w/g, () => texts.shift()),
    );
    return (
      changed !== title &&
      isKept(
        changed,
        left.filter((other) => other !== change),
      )
    );
  });
}

/** The full titles in a report of vitest. */
function titlesOf(path) {
  const { testResults } = JSON.parse(readFileSync(path, "utf8"));
  return new Set(
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ fullName }) => withoutNumbers(fullName)),
    ),
  );
}

/** A title without what differs from run to run: counts, seeds, ports. */
function withoutNumbers(title) {
  return title.replaceAll(/\d+(?:[.,_]\d+)*/g, "#");
}

function escaped(text) {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
}
