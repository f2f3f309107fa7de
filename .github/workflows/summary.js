// Prints the step summary of a run as Markdown, with the totals and each changed status. Reads the JSON of
// `mirrorfeed run --json` or `mirrorfeed build --json`. Usage: node summary.js run.json >> "$GITHUB_STEP_SUMMARY"
import { readFileSync } from "node:fs";

/** GitHub limits a summary to 1 MiB. */
const maxRows = 200;

const { run, prober, totals, changes } = JSON.parse(readFileSync(process.argv[2], "utf8"));

const sections =
  prober === "offline"
    ? ["## The feed was left as it was", "The prober is offline: no mirror and no control answered."]
    : [`## ${totals.online} of ${totals.nodes} nodes online, ${totals.offline} offline`, changesTable()];
console.log([...sections, `Run ${escaped(run)}.`, ""].join("\n\n"));

function changesTable() {
  if (changes.length === 0) return "No status changed.";
  const rows = changes.slice(0, maxRows).map(({ system, project, target, id, name, status, code }) => {
    const now = status === 1 ? "online" : "offline";
    const cells = [`${system}/${project}/${target}`, id, name, now, code ?? "unobserved"];
    return `| ${cells.map(escaped).join(" | ")} |`;
  });
  const table = ["| Target | Node | Mirror | Now | Code |", "| --- | --: | --- | --- | --- |", ...rows].join(
    "\n",
  );
  const more = changes.length - rows.length;
  return more > 0 ? `${table}\n\n… and ${more} more.` : table;
}

/** Returns a text with character references, so that no part of it is Markdown, HTML or a column separator. */
function escaped(text) {
  return String(text).replaceAll(/[^A-Za-z0-9 ]/gu, (character) => `&#${character.codePointAt(0)};`);
}
