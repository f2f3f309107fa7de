import { dayKind } from "../../../base/text/day-kind.ts";
import { barsViewBox, todayPath } from "../charts.ts";
import { improveChart } from "./chart.ts";
import { hideDay, readBars } from "./day-reader.ts";
import { all, make, makeSvg, nameOf, sourceOf } from "./elements.ts";
import {
  coverageText,
  fetchNode,
  forgetReports,
  keepHeartbeat,
  type ReportNode,
  resultText,
  type Runs,
  runsToday,
} from "./report.ts";
import { dayWords } from "./words.ts";

/** What is readable already. A refresh keeps what has not changed. */
const improved = new WeakSet<HTMLElement>();

/** Makes the days and the latencies of a page readable. Runs once for each content of the page. */
export function improveDays(): void {
  hideDay();
  forgetReports();
  improveEach("[data-report] a.days", readBars);
  improveEach("[data-report] .chart", improveChart);
  improveEach("[data-report] dl.uptime", addDayTable);
  showToday();
}

function improveEach(selector: string, improve: (element: HTMLElement) => void): void {
  for (const element of all(selector)) {
    if (improved.has(element)) continue;
    improved.add(element);
    improve(element);
  }
}

export function takeHeartbeat(text: string): void {
  keepHeartbeat(text, new Set(all("[data-node]").map((item) => sourceOf(item).id)));
  showToday();
}

function showToday(): void {
  let isShown = false;
  for (const item of all("[data-node]")) {
    const { id, day } = sourceOf(item);
    const runs = runsToday(id, day);
    if (runs === undefined) continue;
    isShown = true;
    addToBars(item, runs);
    for (const share of item.querySelectorAll<HTMLElement>("[data-sums]")) addToShare(share, runs);
    addVotes(item, runs);
  }
  if (isShown) for (const one of all("[data-as-of]")) one.textContent = dayWords.toLastRun;
}

function addToBars(item: HTMLElement, { today }: Runs): void {
  for (const bars of item.querySelectorAll(".days svg")) {
    bars.setAttribute("viewBox", barsViewBox(true));
    bars.querySelector(".today")?.remove();
    bars.append(makeSvg("path", { class: `today ${dayKind(today)}`, d: todayPath() }));
  }
}

function addToShare(share: HTMLElement, { today, last24h }: Runs): void {
  const { sums = "" } = share.dataset;
  const [ok = 0, failed = 0] = sums.split(",").map(Number);
  const sum = sums === "24h" ? last24h : { ok: ok + today.ok, failed: failed + today.failed };
  const observed = sum.ok + sum.failed;
  share.textContent = observed === 0 ? "–" : dayWords.percent(sum.ok / observed);
}

function addVotes(item: HTMLElement, { votes }: Runs): void {
  for (const row of item.querySelectorAll<HTMLElement>("[data-vantage]")) {
    const vote = votes.get(row.dataset["vantage"] ?? "");
    row.querySelector("small")?.remove();
    if (vote === undefined) continue;
    row.firstElementChild?.append(make("small", {}, ` ${dayWords.observedCode(vote)}`));
  }
}

const opened = new Set<number>();

function addDayTable(uptime: HTMLElement): void {
  const { id } = sourceOf(uptime);
  const details = make("details", { id: `history-${id}` }, make("summary", {}, dayWords.dayByDay));
  details.addEventListener("toggle", () => {
    if (!details.open) {
      opened.delete(id);
      return;
    }
    opened.add(id);
    if (details.childElementCount > 1) return;
    // A page has one for each mirror.
    const ariaLabel = `${dayWords.dayByDay}: ${nameOf(uptime)}`;
    const table = make("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel });
    details.append(table);
    void fetchNode(uptime).then((node) => {
      table.replaceChildren(node === undefined ? dayWords.unavailable : tableOf(node));
    });
  });
  (uptime.parentElement?.querySelector(".chart") ?? uptime).after(details);
  // The page was replaced while it was open.
  details.open = opened.has(id);
}

function tableOf(node: ReportNode): HTMLTableElement {
  const table = make("table", { id: `days-${node.id}` });
  table
    .createTHead()
    .insertRow()
    .append(...dayWords.columns.map((title) => make("th", { scope: "col" }, title)));
  const body = table.createTBody();
  for (const { date, count, mean, min, max } of node.days.toReversed()) {
    const row = body.insertRow();
    row.className = dayKind(count);
    const latencies = [mean, min, max].map((one) => one ?? "–");
    for (const text of [date, resultText(dayWords, count), coverageText(dayWords, count), ...latencies])
      row.insertCell().textContent = String(text);
  }
  return table;
}
