import { improveChart } from "./chart.ts";
import { hideDay, readBars } from "./day-reader.ts";
import { addDayTable } from "./day-table.ts";
import { all } from "./elements.ts";
import { forgetReports } from "./report.ts";
import { showToday } from "./today.ts";

export { takeHeartbeat } from "./today.ts";

/** What is readable already. A refresh keeps what has not changed. */
const improved = new WeakSet<HTMLElement>();

/** Makes the days and the latencies of a page readable. Runs once for each content of the page. */
export function improveDays(): void {
  hideDay();
  forgetReports();
  improve("[data-report] a.days", readBars);
  improve("[data-report] .chart", improveChart);
  improve("[data-report] dl.uptime", addDayTable);
  showToday();
}

function improve(selector: string, make: (element: HTMLElement) => void): void {
  for (const element of all(selector)) {
    if (improved.has(element)) continue;
    improved.add(element);
    make(element);
  }
}
