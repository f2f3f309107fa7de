// Prints a step summary as Markdown. A run's summary has totals, mirrors that need attention, and mirrors that changed.
// A pull request's has the new mirrors. The summary of notifications has the outcome of each.
// Reads the JSON of `mirrorfeed run --json`, `build --json`, `validate --probe-new BASE --json` or `notify --json`.
// Usage: node summary.js result.json >> "$GITHUB_STEP_SUMMARY"
import { readFileSync } from "node:fs";

/** GitHub limits a summary to 1 MiB. */
const maxRows = 200;

/** The states that need action, worst first. */
const attentionStates = ["offline", "wrong", "differs", "behind"];
/** Words for states whose names don't fit into a sentence. */
const names = { differs: "different", maintenance: "in maintenance" };

const result = JSON.parse(readFileSync(process.argv[2], "utf8"));
console.log([...sectionsOf(result), ""].join("\n\n"));

function sectionsOf(result) {
  if (Array.isArray(result)) return ofMessages(result);
  return result.probed === undefined ? ofRun(result) : ofNewMirrors(result.probed);
}

function ofRun({ run, prober, vantages, states, notifications, changes, nodes }) {
  const outcome =
    prober === "offline"
      ? ["## The feed was left as it was", "The prober is offline: no mirror and no control answered."]
      : [`## ${totals(states)}`, ...attention(nodes), ...missingShards(vantages), ...changed(changes)];
  return [...outcome, ...pending(notifications), `Run ${escaped(run)}.`];
}

function nameOf(state) {
  return names[state] ?? state;
}

function totals(states) {
  const found = Object.entries(states).filter(([, count]) => count > 0);
  const total = found.reduce((sum, [, count]) => sum + count, 0);
  const counts = found.toReversed().map(([state, count]) => `${count} ${nameOf(state)}`);
  return `${total} ${total === 1 ? "mirror" : "mirrors"}: ${counts.join(", ")}`;
}

function attention(nodes) {
  const rows = attentionStates.flatMap((state) =>
    nodes
      .filter((node) => node.state === state)
      .map(({ system, project, target, id, name, explanation }) => {
        return [`${system}/${project}/${target}`, id, name, nameOf(state), explanation ?? ""];
      }),
  );
  return rows.length === 0 ? [] : [table(["Target", "Node", "Mirror", "State", "Why"], rows)];
}

function missingShards(vantages) {
  return vantages.flatMap(({ vantage, missing_shards: shards = [] }) => {
    if (shards.length === 0) return [];
    const [noun, verb, their] = shards.length === 1 ? ["Shard", "is", "its"] : ["Shards", "are", "their"];
    const missing = `${noun} ${shards.join(", ")} of ${escaped(vantage)} ${verb} missing`;
    return [`${missing}, so ${their} mirrors were not observed from there.`];
  });
}

function changed(changes) {
  if (changes.length === 0) return ["No mirror changed its state."];
  const rows = changes.map(({ system, project, target, id, name, state, state_before }) => {
    const before = state_before === undefined ? "new" : nameOf(state_before);
    return [`${system}/${project}/${target}`, id, name, before, nameOf(state)];
  });
  return ["### Changed in this run", table(["Target", "Node", "Mirror", "Before", "Now"], rows)];
}

function pending(notifications) {
  if (notifications === undefined) return [];
  const { waiting, failing } = notifications;
  if (waiting === 0) return [];
  const failed = failing === 0 ? "" : `, ${failing} of them to channels that failed last`;
  return [`Notifications: ${waiting} to send${failed}.`];
}

function ofNewMirrors({ prober, nodes }) {
  if (nodes.length === 0) return ["## No mirror is new"];
  const good = nodes.filter(({ state }) => state === "online").length;
  const title =
    prober === "offline"
      ? "## The prober is offline, so the new mirrors are not known"
      : `## ${good} of ${nodes.length} new mirrors online`;
  // Mirrors that are not online come first, because the end of a long table is cut off.
  const sorted = nodes.toSorted(
    (one, other) => Number(one.state === "online") - Number(other.state === "online"),
  );
  const rows = sorted.map(({ system, project, target, id, url, state, code, latency_ms, explanation }) => {
    const why = explanation ?? (latency_ms === undefined ? "" : `${latency_ms} ms`);
    return [`${system}/${project}/${target}`, id, url, nameOf(state), code ?? "", why];
  });
  return [title, table(["Target", "Node", "Mirror", "State", "Code", "Why"], rows)];
}

function ofMessages(messages) {
  if (messages.length === 0) return ["## Nothing to send"];
  const count = (wanted) => messages.filter(({ outcome }) => outcome === wanted).length;
  const [sent, waiting] = [count("sent"), count("waiting")];
  const tried = messages.length - waiting;
  const parts = [
    ...(tried > 0 ? [`${sent} of ${tried} sent`] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ];
  const isSent = ({ outcome }) => outcome === "sent";
  const sorted = messages.toSorted((one, other) => Number(isSent(one)) - Number(isSent(other)));
  const rows = sorted.map(({ channel, outcome, reason, next_attempt_at: next, message, waiting: lines }) => [
    channel,
    message?.title ?? `${lines} to send`,
    outcome,
    reason ?? "",
    next === undefined ? "" : `${next.slice(0, 16).replace("T", " ")} UTC`,
  ]);
  return [
    `## Notifications: ${parts.join(", ")}`,
    table(["Channel", "Notification", "Outcome", "Reason", "Next attempt"], rows),
  ];
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
