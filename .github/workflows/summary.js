// Prints a step summary as Markdown: of a run, the totals and each changed status; of a pull request, the new mirrors; of
// messages, what became of each.
// Reads the JSON of `mirrorfeed run --json`, `build --json`, `validate --probe-new BASE --json` or `notify --json`.
// Usage: node summary.js result.json >> "$GITHUB_STEP_SUMMARY"
import { readFileSync } from "node:fs";

/** GitHub limits a summary to 1 MiB. */
const maxRows = 200;

const result = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log([...sectionsOf(result), ""].join("\n\n"));

function sectionsOf(result) {
  if (Array.isArray(result)) return ofMessages(result);
  return result.probed === undefined ? ofRun(result) : ofNewMirrors(result.probed);
}

function ofRun({ run, prober, totals, notifications, changes }) {
  const outcome =
    prober === "offline"
      ? ["## The feed was left as it was", "The prober is offline: no mirror and no control answered."]
      : [
          `## ${totals.online} of ${totals.nodes} nodes online, ${totals.offline} offline`,
          changesTable(changes),
        ];
  return [...outcome, ...messageCounts(notifications), `Run ${escaped(run)}.`];
}

function messageCounts(notifications) {
  if (notifications === undefined) return [];
  const { waiting, failing, dropped } = notifications;
  return [
    `Messages: ${waiting} to send, ${failing} of them failed before. Given up in the last week: ${dropped}.`,
  ];
}

function changesTable(changes) {
  if (changes.length === 0) return "No status changed.";
  const rows = changes.map(({ system, project, target, id, name, status, code }) => {
    const now = status === 1 ? "online" : "offline";
    return [`${system}/${project}/${target}`, id, name, now, code ?? "unobserved"];
  });
  return table(["Target", "Node", "Mirror", "Now", "Code"], rows);
}

function ofNewMirrors({ prober, nodes }) {
  if (nodes.length === 0) return ["## No mirror is new"];
  const reachable = nodes.filter(({ code }) => code === "ok").length;
  const title =
    prober === "offline"
      ? "## The prober is offline, so the new mirrors are not known"
      : `## ${reachable} of ${nodes.length} new mirrors reachable`;
  // Those that are not reachable stand first, since the rest may be cut.
  const sorted = nodes.toSorted((one, other) => (one.code === "ok" ? 1 : 0) - (other.code === "ok" ? 1 : 0));
  const rows = sorted.map(({ system, project, target, id, url, code, http_status, latency_ms }) => {
    const latency = latency_ms === undefined ? "" : `${latency_ms} ms`;
    return [`${system}/${project}/${target}`, id, url, code ?? "unobserved", http_status ?? "", latency];
  });
  return [title, table(["Target", "Node", "Mirror", "Code", "HTTP", "Latency"], rows)];
}

function ofMessages(messages) {
  if (messages.length === 0) return ["## No message was due"];
  const isSent = ({ outcome }) => outcome === "sent";
  const title = `## ${messages.filter(isSent).length} of ${messages.length} messages sent`;
  const sorted = messages.toSorted((one, other) => Number(isSent(one)) - Number(isSent(other)));
  const rows = sorted.map(({ channel, outcome, reason, message }) => [
    channel,
    message.title,
    outcome,
    reason ?? "",
  ]);
  return [title, table(["Channel", "Message", "Outcome", "Reason"], rows)];
}

function table(head, rows) {
  const rule = head.map((name) => (name === "Node" ? "--:" : "---"));
  const lines = [head, rule, ...rows.slice(0, maxRows).map((cells) => cells.map(escaped))];
  const text = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const more = rows.length - maxRows;
  return more > 0 ? `${text}\n\n… and ${more} more.` : text;
}

/** Returns a text with character references, so that no part of it is Markdown, HTML or a column separator. */
function escaped(text) {
  return String(text).replaceAll(/[^A-Za-z0-9 ]/gu, (character) => `&#${character.codePointAt(0)};`);
}
