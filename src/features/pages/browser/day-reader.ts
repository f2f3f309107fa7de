import { formatIn } from "../../../core/base/text/time.ts";
import { barScale, chartScale, type DayScale } from "../charts.ts";
import { first, make, sourceOf } from "./elements.ts";
import { describeDay, fetchNode, parseCount, runsToday } from "./read-report.ts";

export const dateText = formatIn("UTC").date;

const tip = make("div", { className: "tip", hidden: true });
const mark = make("i", { className: "mark" });

/** `back` counts days back from today. */
let shown: { readonly picture: Element; readonly back: number } | undefined;

/** Shows the days of all bars and charts, including those that a refresh adds. Call it once. */
export function readDays(): void {
  document.addEventListener("pointermove", showPointed);
  document.addEventListener("pointerout", ({ pointerType, target, relatedTarget }) => {
    if (pointerType === "mouse" && pictureOf(target) !== pictureOf(relatedTarget)) hideDay();
  });
  document.addEventListener("click", (event) => {
    // A tap shows the day instead of following the link, since the mirror's name has the same link. A mouse click or
    // Enter follows the link.
    if (!(event instanceof PointerEvent) || event.pointerType !== "touch") return;
    if (pictureOf(event.target) === undefined) hideDay();
    else {
      event.preventDefault();
      showPointed(event);
    }
  });
  document.addEventListener("keydown", showNext);
  document.addEventListener("focusout", hideDay);
}

/** Returns the bar or chart that an event is about. */
function pictureOf(target: EventTarget | null): SVGSVGElement | undefined {
  if (!(target instanceof Element)) return undefined;
  const element = target.closest("[data-report] :is(a.days, .chart svg)");
  const picture = element?.matches("a") ? element.querySelector("svg") : element;
  return picture instanceof SVGSVGElement ? picture : undefined;
}

function scaleOf(picture: SVGSVGElement): DayScale {
  const { width } = picture.viewBox.baseVal;
  return picture.closest(".chart") === null ? barScale(width) : chartScale(width);
}

function showPointed({ target, clientX }: PointerEvent): void {
  const picture = pictureOf(target);
  if (picture === undefined) return;
  const { left, width } = picture.getBoundingClientRect();
  void showDay(picture, scaleOf(picture).dayAt((clientX - left) / width));
}

function showNext(event: KeyboardEvent): void {
  if (event.key === "Escape") hideDay();
  const picture = pictureOf(event.target);
  // With Alt, Ctrl or Meta, arrow keys are shortcuts of the browser.
  if (picture === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
  const { newest, oldest } = scaleOf(picture);
  const back = shown?.picture === picture ? shown.back : newest - 1;
  const days = new Map([
    ["ArrowLeft", back + 1],
    ["ArrowRight", back - 1],
    ["Home", oldest],
    ["End", newest],
  ]);
  const next = days.get(event.key);
  if (next === undefined) return;
  event.preventDefault();
  void showDay(picture, next, true);
}

export function hideDay(): void {
  shown = undefined;
  tip.hidden = true;
  mark.remove();
}

async function showDay(picture: SVGSVGElement, asked: number, isSpoken = false): Promise<void> {
  const { newest, oldest, shareOf } = scaleOf(picture);
  const back = Math.min(Math.max(asked, newest), oldest);
  if (shown?.picture === picture && shown.back === back) return;
  const showing = { picture, back };
  shown = showing;
  const { id, day, today } = sourceOf(picture);
  const node = await fetchNode(picture);
  // The reader moved on while the report was loading.
  if (shown !== showing) return;
  const read = node && describeDay(node, day, back, runsToday(id, day) ?? parseCount(today));
  const title = make(
    "b",
    {},
    read === undefined ? "The daily data could not be loaded." : dateText(read.date),
  );
  const lines = (read?.lines ?? []).map((text) => make("span", {}, text));
  tip.replaceChildren(title, ...lines);
  place(picture, shareOf(back));
  if (isSpoken) first(".live")?.replaceChildren([title, ...lines].map((one) => one.textContent).join(". "));
}

function place(picture: Element, share: number): void {
  const { left, top, width, height } = picture.getBoundingClientRect();
  document.body.append(tip, mark);
  tip.hidden = false;
  const x = left + share * width;
  const edge = Math.max(
    8,
    Math.min(x - tip.offsetWidth / 2, document.documentElement.clientWidth - tip.offsetWidth - 8),
  );
  tip.style.left = `${edge + scrollX}px`;
  const above = top - tip.offsetHeight - 6;
  tip.style.top = `${(above < 0 ? top + height + 6 : above) + scrollY}px`;
  mark.style.left = `${x + scrollX}px`;
  mark.style.top = `${top + scrollY}px`;
  mark.style.height = `${height}px`;
}
