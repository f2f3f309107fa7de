import { dayKind } from "../text/day-kind.ts";
import { countDays, coverageText, dayOf, resultText } from "./day-text.ts";
import { words } from "./day-words.ts";
import { fetchReport, type ReportNode } from "./report.ts";

const opened = new Set<string>();

/** Adds the table of all days of a mirror after its chart. Its report is fetched when the table is opened. */
export function addDayTable(box: HTMLElement): void {
  const section = box.closest<HTMLElement>("[data-node]");
  const { node: id = "" } = section?.dataset ?? {};
  const { report = "", day = "" } = box.closest<HTMLElement>("[data-report]")?.dataset ?? {};
  const details = document.createElement("details");
  details.id = `history-${id}`;
  const summary = document.createElement("summary");
  summary.textContent = words.dayByDay;
  details.append(summary);
  details.addEventListener("toggle", () => {
    if (!details.open) {
      opened.delete(id);
      return;
    }
    opened.add(id);
    if (details.childElementCount > 1) return;
    const table = document.createElement("div");
    table.className = "scroll";
    table.tabIndex = 0;
    table.role = "region";
    // A page has one for each mirror.
    const name = section?.querySelector("h2, h3")?.textContent;
    table.ariaLabel = name === undefined ? words.dayByDay : `${words.dayByDay}: ${name}`;
    details.append(table);
    fetchReport(report).then(
      (nodes) => {
        const node = nodes.get(Number(id));
        table.replaceChildren(node === undefined ? words.unavailable : tableOf(node, day));
      },
      () => {
        table.replaceChildren(words.unavailable);
      },
    );
  });
  const before = box.querySelector(":scope > .chart") ?? box.querySelector(":scope > dl.uptime");
  before?.after(details);
  // The page was replaced while it was open.
  details.open = opened.has(id);
}

/** Returns the days of a mirror as a table, newest first: date, result, coverage and latencies. */
function tableOf(node: ReportNode, today: string): HTMLTableElement {
  const table = document.createElement("table");
  table.id = `days-${node.id}`;
  const head = table.createTHead().insertRow();
  for (const title of words.columns) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  for (let back = 1; back <= countDays(node.days); back += 1) {
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
