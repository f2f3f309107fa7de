// Prints the notes of a release: the section of a version in CHANGELOG.md, in the form of https://keepachangelog.com.
// Exits with 1 if the section is missing or empty.
// Usage: node release-notes.js v1.2.3 > notes.md
import { readFileSync } from "node:fs";

const version = (process.argv[2] ?? "").replace(/^v/, "");
const sections = readFileSync("CHANGELOG.md", "utf8").split(/^## /m);
const section = sections.find((text) => text.startsWith(`[${version}]`));
const notes = section?.slice(section.indexOf("\n")).trim() ?? "";
if (notes === "") {
  console.error(`CHANGELOG.md: "## [${version}]" is missing or empty. Write it and tag again.`);
  process.exitCode = 1;
} else {
  console.log(notes);
}
