import { improveChart } from "./chart.ts";
import { hideDay, readBars } from "./day-reader.ts";
import { addDayTable } from "./day-table.ts";
import { all } from "./elements.ts";
import { forgetReports } from "./report.ts";
import { showToday } from "./today.ts";

export { fetchToday } from "./today.ts";

/** Makes the days and the latencies of a page readable. Runs once for each content of the page. */
export function improveDays(): void {
  hideDay();
  forgetReports();
  for (const bars of all("[data-report] a.days")) readBars(bars);
  for (const figure of all("[data-report] .chart")) improveChart(figure);
  for (const link of all("[data-report] .history")) addDayTable(link);
  showToday();
}
