import { axisMaximum, bandPath, chartHeight, linePath } from "../charts.ts";
import { dateText, hideDay, readDays } from "./day-reader.ts";
import { make, makeSvg, nameOf, sourceOf } from "./elements.ts";
import { fetchReport, type ReportDays } from "./report.ts";
import { dayWords } from "./words.ts";

const ranges = [7, 30, 90] as const;
const dayMs = 86_400_000;

/** The number of days that the charts of a page show as the host sends it. */
const sent = 30;

let chosen: number = sent;

export function improveChart(figure: HTMLElement): void {
  const picture = figure.querySelector("svg");
  const caption = figure.querySelector("figcaption");
  if (picture === null || caption === null) return;
  let count = picture.viewBox.baseVal.width + 1;
  let drawn = 0;
  const draw = async (): Promise<void> => {
    if (drawn === chosen) return;
    const days = await daysOf(figure);
    if (days === undefined) return;
    drawn = chosen;
    count = Math.min(chosen, days.ok.length);
    drawChart(figure, picture, days, count);
  };
  picture.ariaLabel = `${caption.textContent}: ${nameOf(figure)}`;
  const buttons = ranges.map((range) => {
    const button = make("button", {
      type: "button",
      textContent: dayWords.days(range),
      ariaPressed: String(range === chosen),
    });
    button.addEventListener("click", () => {
      chosen = range;
      hideDay();
      for (const one of document.querySelectorAll(".ranges button"))
        one.ariaPressed = String(one.textContent === dayWords.days(chosen));
      void draw();
    });
    return button;
  });
  caption.append(make("span", { className: "ranges", role: "group", ariaLabel: dayWords.range }, ...buttons));
  picture.tabIndex = 0;
  picture.role = "img";
  picture.ariaHidden = null;
  picture.addEventListener("pointerenter", () => void draw());
  picture.addEventListener("focus", () => void draw());
  readDays({
    element: picture,
    picture,
    dayAt: (share) => count - Math.min(Math.max(Math.round(share * (count - 1)), 0), count - 1),
    shareOf: (back) => (count - back) / Math.max(1, count - 1),
    range: () => [1, count],
  });
  if (chosen !== sent) void draw();
}

async function daysOf(figure: HTMLElement): Promise<ReportDays | undefined> {
  const { id, report } = sourceOf(figure);
  const nodes = await fetchReport(report).catch(() => undefined);
  return nodes?.get(id)?.days;
}

function drawChart(
  figure: HTMLElement,
  picture: SVGElement,
  { from, latency_ms }: ReportDays,
  count: number,
): void {
  const mean = latency_ms.mean.slice(-count);
  const min = latency_ms.min.slice(-count);
  const max = latency_ms.max.slice(-count);
  const top = axisMaximum(Math.max(1, ...[...mean, ...max].map((one) => one ?? 0)));
  const width = Math.max(1, count - 1);
  picture.setAttribute("viewBox", `0 0 ${width} ${chartHeight}`);
  picture.replaceChildren(
    makeSvg("path", { class: "band", d: bandPath(min, max, top) }),
    makeSvg("path", { class: "mean", d: linePath(mean, top) }),
  );
  const start = Date.parse(from) + (latency_ms.mean.length - count) * dayMs;
  const dates = [0, count - 1].map((day) => dateText(new Date(start + day * dayMs).toISOString()));
  replaceTexts(
    figure.querySelector(".scale"),
    [top, 0].map((value) => `${value} ms`),
  );
  replaceTexts(figure.querySelector(".dates"), [...new Set(dates)]);
}

function replaceTexts(parent: Element | null, texts: readonly string[]): void {
  parent?.replaceChildren(...texts.map((text) => make("i", {}, text)));
}
