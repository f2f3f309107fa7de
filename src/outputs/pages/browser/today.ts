import { barsViewBox, todayPath } from "../../../base/text/day-bars.ts";
import { dayKind } from "../../../base/text/day-kind.ts";
import { all, make, makeSvg, sourceOf } from "./elements.ts";
import { words } from "./day-words.ts";
import { type PageHeartbeat, parseHeartbeat, type Runs } from "./heartbeat.ts";

let last: PageHeartbeat | undefined;

/** Returns the runs of a mirror of the page today, if they are known and the page is of that day. */
export function runsToday(id: number, day: string): Runs | undefined {
  return last?.at.slice(0, 10) === day ? last.nodes.get(id) : undefined;
}

/** Takes the text of a new heartbeat, and shows today on the page. A text that is not a heartbeat changes nothing. */
export function takeHeartbeat(text: string): void {
  last = parseHeartbeat(text, new Set(all("[data-node]").map((item) => sourceOf(item).id))) ?? last;
  showToday();
}

/** Adds today to the bars, the uptime and the vantages of the page, up to the last run that is known. */
export function showToday(): void {
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
  if (isShown) for (const one of all("[data-as-of]")) one.textContent = words.toLastRun;
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
  share.textContent = observed === 0 ? "–" : words.percent(sum.ok / observed);
}

/** Writes beside each vantage what it observed in the last run, if the vantages do not agree. */
function addVotes(item: HTMLElement, { votes }: Runs): void {
  for (const row of item.querySelectorAll<HTMLElement>("[data-vantage]")) {
    const vote = votes.get(row.dataset["vantage"] ?? "");
    row.querySelector("small")?.remove();
    if (vote === undefined) continue;
    row.firstElementChild?.append(make("small", {}, ` ${words.observedCode(vote)}`));
  }
}
