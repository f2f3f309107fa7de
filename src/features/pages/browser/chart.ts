import { axisMaximum, bandPath, chartDays, chartHeight, linePath } from "../charts.ts";
import { dateText, hideDay } from "./day-reader.ts";
import { all, make, makeSvg, nameOf } from "./elements.ts";
import { fetchNode } from "./read-report.ts";

const ranges = [7, 30, 90] as const;

/** The number of days that the reader chose, for all charts of the page. */
let chosen: number = chartDays;

/** How many days the script has drawn in each chart. */
const drawn = new WeakMap<HTMLElement, number>();

/** Does nothing if the chart has its buttons, since a refresh keeps unchanged charts. */
export function improveChart(figure: HTMLElement): void {
  const picture = figure.querySelector("svg");
  const caption = figure.querySelector("figcaption");
  if (picture === null || caption === null || caption.childElementCount > 0) return;
  picture.ariaLabel = `${caption.textContent}: ${nameOf(figure)}`;
  const buttons = ranges.map((range) => {
    const textContent = `${range} days`;
    const button = make("button", { type: "button", textContent, value: String(range) });
    button.addEventListener("click", () => {
      chosen = range;
      hideDay();
      for (const one of all(".chart")) void draw(one);
    });
    return button;
  });
  caption.append(make("span", { className: "ranges", role: "group", ariaLabel: "Days shown" }, ...buttons));
  press(figure, chartDays);
  picture.tabIndex = 0;
  picture.role = "img";
  picture.ariaHidden = null;
  picture.addEventListener("pointerenter", () => void draw(figure));
  picture.addEventListener("focus", () => void draw(figure));
  if (chosen !== chartDays) void draw(figure);
}

function press(figure: HTMLElement, range: number): void {
  for (const button of figure.querySelectorAll("button"))
    button.ariaPressed = String(button.value === String(range));
}

/** If the days can't be loaded, the chart stays as it is. */
async function draw(figure: HTMLElement): Promise<void> {
  if (drawn.get(figure) === chosen) return;
  const days = (await fetchNode(figure))?.days.slice(-chosen) ?? [];
  if (days.length === 0) return;
  drawn.set(figure, chosen);
  press(figure, chosen);
  const mean = days.map((day) => day.mean);
  const min = days.map((day) => day.min);
  const max = days.map((day) => day.max);
  const top = axisMaximum(Math.max(1, ...[...mean, ...max].map((one) => one ?? 0)));
  const picture = figure.querySelector("svg");
  picture?.setAttribute("viewBox", `0 0 ${days.length - 1} ${chartHeight}`);
  picture?.replaceChildren(
    makeSvg("path", { class: "band", d: bandPath(min, max, top) }),
    makeSvg("path", { class: "mean", d: linePath(mean, top) }),
  );
  replaceTexts(figure, ".scale", [`${top} ms`, "0 ms"]);
  replaceTexts(
    figure,
    ".dates",
    [days[0], days.at(-1)].map((day) => dateText(day?.date ?? "")),
  );
}

function replaceTexts(figure: HTMLElement, selector: string, texts: readonly string[]): void {
  figure.querySelector(selector)?.replaceChildren(...texts.map((text) => make("i", {}, text)));
}
