import { make, nameOf, sourceOf } from "./elements.ts";
import { dayKind } from "../../../base/text/day-kind.ts";
import { coverageText, dayOf, resultText } from "./day-text.ts";
import { words } from "./day-words.ts";
import { fetchReport, type ReportNode } from "./report.ts";

const opened = new Set<number>();

/** Adds the table of all days of a mirror after its uptime and its chart. Its report is fetched when the table is opened. */
export function addDayTable(uptime: HTMLElement): void {
  const { id, report, day } = sourceOf(uptime);
  const details = make("details", { id: `history-${id}` }, make("summary", {}, words.dayByDay));
  details.addEventListener("toggle", () => {
    if (!details.open) {
      opened.delete(id);
      return;
    }
    opened.add(id);
    if (details.childElementCount > 1) return;
    // A page has one for each mirror.
    const ariaLabel = `${words.dayByDay}: ${nameOf(uptime)}`;
    const table = make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel });
    details.append(table);
    fetchReport(report).then(
      (nodes) => {
        const node = nodes.get(id);
        table.replaceChildren(node === undefined ? words.unavailable : tableOf(node, day));
      },
      () => {
        table.replaceChildren(words.unavailable);
      },
    );
  });
  (uptime.parentElement?.querySelector(".chart") ?? uptime).after(details);
  // The page was replaced while it was open.
  details.open = opened.has(id);
}

/** Returns the days of a mirror as a table, newest first: date, result, coverage and latencies. */
function tableOf(node: ReportNode, today: string): HTMLTableElement {
  const table = make("table", { id: `days-${node.id}` });
  table
    .createTHead()
    .insertRow()
    .append(...words.columns.map((title) => make("th", { scope: "col" }, title)));
  const body = table.createTBody();
  const days = node.days?.ok.length ?? 0;
  for (let back = 1; back <= days; back += 1) {
    const { date, count, latencies = [] } = dayOf(node, today, back, undefined);
    const row = body.insertRow();
    row.className = dayKind(count);
    for (const text of [
      date,
      resultText(words, count),
      coverageText(words, count),
      ...[0, 1, 2].map((one) => latencies[one] ?? "–"),
    ])
      row.insertCell().textContent = String(text);
  }
  return table;
}
