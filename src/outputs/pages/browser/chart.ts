import { axisMaximum, bandPath, chartHeight, linePath } from "../charts.ts";
import { dateText, hideDay, readDays } from "./day-reader.ts";
import { make, makeSvg, nameOf } from "./elements.ts";
import { fetchNode, type ReportDay } from "./report.ts";
import { dayWords } from "./words.ts";

const ranges = [7, 30, 90] as const;

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
    const days = (await fetchNode(figure))?.days.slice(-chosen) ?? [];
    if (days.length === 0) return;
    drawn = chosen;
    count = days.length;
    drawChart(figure, picture, days);
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

function drawChart(figure: HTMLElement, picture: SVGElement, days: readonly ReportDay[]): void {
  const mean = days.map((day) => day.mean);
  const min = days.map((day) => day.min);
  const max = days.map((day) => day.max);
  const top = axisMaximum(Math.max(1, ...[...mean, ...max].map((one) => one ?? 0)));
  picture.setAttribute("viewBox", `0 0 ${Math.max(1, days.length - 1)} ${chartHeight}`);
  picture.replaceChildren(
    makeSvg("path", { class: "band", d: bandPath(min, max, top) }),
    makeSvg("path", { class: "mean", d: linePath(mean, top) }),
  );
  replaceTexts(figure, ".scale", [`${top} ms`, "0 ms"]);
  const dates = [days[0], days.at(-1)].map((day) => dateText(day?.date ?? ""));
  replaceTexts(figure, ".dates", [...new Set(dates)]);
}

function replaceTexts(figure: HTMLElement, selector: string, texts: readonly string[]): void {
  figure.querySelector(selector)?.replaceChildren(...texts.map((text) => make("i", {}, text)));
}
