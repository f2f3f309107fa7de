import { type DayCount, dayKind } from "../../../core/base/text/count.ts";
import { barsViewBox, todayPath } from "../charts.ts";
import { improveChart } from "./chart.ts";
import { dateText, hideDay, readDays } from "./day-reader.ts";
import { all, make, makeSvg, nameOf, nextTask, sourceOf } from "./elements.ts";
import {
  coverageText,
  fetchNode,
  forgetReports,
  keepHeartbeat,
  type ReportNode,
  resultText,
  runsToday,
} from "./read-report.ts";

readDays();

/** Makes latency charts interactive, and adds tables of days. Call it after every change of the page. */
export function improveDays(): void {
  hideDay();
  forgetReports();
  for (const figure of all("[data-report] .chart")) improveChart(figure);
  for (const place of all("[data-report] .day-table:empty")) addDayTable(place);
  void showToday();
}

export function takeHeartbeat(text: string): void {
  keepHeartbeat(text, new Set(all("[data-node]").map((item) => sourceOf(item).id)));
  void showToday();
}

/** One task draws the last day of at most this many mirrors. */
const maxDrawnAtOnce = 100;

async function showToday(): Promise<void> {
  for (const [index, item] of all("[data-node]").entries()) {
    if (index % maxDrawnAtOnce === maxDrawnAtOnce - 1) await nextTask();
    const { id, day } = sourceOf(item);
    const today = runsToday(id, day);
    if (today !== undefined) addToBars(item, today);
  }
}

function addToBars(item: HTMLElement, today: DayCount): void {
  for (const bars of item.querySelectorAll(".days svg")) {
    const kind = bars.querySelector(`.${dayKind(today)}`) ?? makeSvg("path", { class: dayKind(today) });
    if (kind.getAttribute("d")?.endsWith(todayPath) === true) continue;
    for (const path of bars.children)
      path.setAttribute("d", path.getAttribute("d")?.replace(todayPath, "") ?? "");
    kind.setAttribute("d", `${kind.getAttribute("d") ?? ""}${todayPath}`);
    bars.setAttribute("viewBox", barsViewBox(true));
    bars.append(kind);
  }
}

/** The tables that the reader has opened, by mirror. */
const opened = new Map<number, HTMLElement>();

function addDayTable(place: HTMLElement): void {
  const { id } = sourceOf(place);
  const details = make("details", { id: `history-${id}` }, make("summary", {}, "Day by day"));
  // Includes the mirror's name, since the page has a table for each mirror.
  const ariaLabel = `Day by day: ${nameOf(place)}`;
  // A refresh replaces details that the reader has opened. The table stays until the new one is there.
  const known = opened.get(id);
  const table = known ?? make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel });
  details.append(table);
  details.addEventListener("toggle", () => {
    if (!details.open) opened.delete(id);
    else if (!opened.has(id)) void show();
  });
  const show = async (): Promise<void> => {
    opened.set(id, table);
    const node = await fetchNode(place);
    table.replaceChildren(node === undefined ? "The daily data could not be loaded." : tableOf(node));
  };
  if (known !== undefined) void show();
  place.append(details);
  details.open = known !== undefined;
}

function tableOf(node: ReportNode): HTMLTableElement {
  const table = make("table", { id: `days-${node.id}` });
  table
    .createTHead()
    .insertRow()
    .append(
      ...["Day, UTC", "Result", "Observed", "Mean ms", "Min", "Max"].map((title) =>
        make("th", { scope: "col" }, title),
      ),
    );
  const body = table.createTBody();
  for (const day of node.days.toReversed()) {
    const row = body.insertRow();
    row.className = dayKind(day);
    const latencies = [day.mean, day.min, day.max].map((latency) => latency ?? "–");
    for (const text of [dateText(day.date), resultText(day), coverageText(day), ...latencies])
      row.insertCell().textContent = String(text);
  }
  return table;
}
