import { daysShown } from "../../../base/text/day-kind.ts";
import { dayAtShare, shareOfDay } from "../charts.ts";
import { first, make, sourceOf } from "./elements.ts";
import { describeDay, fetchNode, runsToday } from "./report.ts";
import { dayWords, locale } from "./words.ts";

const dateFormat = new Intl.DateTimeFormat(locale, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

export function dateText(date: string): string {
  return dateFormat.format(Date.parse(date));
}

/** A picture of days that can be read day by day. Days are counted back from today, which is 0. */
interface Readable {
  readonly element: HTMLElement | SVGSVGElement;
  readonly picture: Element;
  readonly dayAt: (share: number) => number;
  readonly shareOf: (back: number) => number;
  readonly range: () => readonly [newest: number, oldest: number];
}

const tip = make("div", { className: "tip", hidden: true });
const mark = make("i", { className: "mark" });

let shown: Readable | undefined;
let shownBack = 0;

export function readBars(element: HTMLElement): void {
  const picture = element.querySelector("svg");
  if (picture === null) return;
  const hasToday = (): boolean => picture.viewBox.baseVal.width > daysShown * 4;
  readDays({
    element,
    picture,
    dayAt: (share) => dayAtShare(share, hasToday()),
    shareOf: (back) => shareOfDay(back, hasToday()),
    range: () => [hasToday() ? 0 : 1, daysShown],
  });
}

export function readDays(readable: Readable): void {
  const { element, picture } = readable;
  const show = (event: Event): void => {
    if (!(event instanceof MouseEvent)) return;
    const { left, width } = picture.getBoundingClientRect();
    void showDay(readable, readable.dayAt((event.clientX - left) / width));
  };
  element.addEventListener("pointermove", show);
  element.addEventListener("pointerleave", (event) => {
    if (event instanceof PointerEvent && event.pointerType === "mouse") hideDay();
  });
  element.addEventListener("click", (event) => {
    // A tap shows the day: the name of the mirror is the link. A click of the mouse or of a key follows the link.
    if (!(event instanceof PointerEvent) || event.pointerType !== "touch") return;
    event.preventDefault();
    show(event);
  });
  element.addEventListener("keydown", (event) => {
    if (!(event instanceof KeyboardEvent)) return;
    if (event.key === "Escape") hideDay();
    const [newest, oldest] = readable.range();
    const back = shown === readable ? shownBack : newest - 1;
    const days = new Map([
      ["ArrowLeft", back + 1],
      ["ArrowRight", back - 1],
      ["Home", oldest],
      ["End", newest],
    ]);
    const next = days.get(event.key);
    if (next === undefined) return;
    event.preventDefault();
    void showDay(readable, Math.min(Math.max(next, newest), oldest), true);
  });
  element.addEventListener("blur", hideDay);
}

export function hideDay(): void {
  shown = undefined;
  tip.hidden = true;
  mark.remove();
}

async function showDay(readable: Readable, back: number, isSpoken = false): Promise<void> {
  if (shown === readable && shownBack === back) return;
  shown = readable;
  shownBack = back;
  const { element, picture } = readable;
  const { id, day } = sourceOf(element);
  const node = await fetchNode(element);
  // Another day, or none, was asked for meanwhile.
  if (shown !== readable || shownBack !== back) return;
  const read = node && describeDay(dayWords, node, day, back, runsToday(id, day));
  const title = make("b", {}, read === undefined ? dayWords.unavailable : dateText(read.date));
  const lines = (read?.lines ?? []).map((text) => make("span", {}, text));
  tip.replaceChildren(title, ...lines);
  place(picture, readable.shareOf(back));
  if (isSpoken) first(".live")?.replaceChildren([title, ...lines].map((one) => one.textContent).join(". "));
}

function place(picture: Element, share: number): void {
  const { left, top, width, height } = picture.getBoundingClientRect();
  if (!tip.isConnected) document.body.append(tip, mark);
  document.body.append(mark);
  tip.hidden = false;
  const x = left + share * width;
  const edge = Math.max(
    8,
    Math.min(x - tip.offsetWidth / 2, document.documentElement.clientWidth - tip.offsetWidth - 8),
  );
  tip.style.left = `${edge + scrollX}px`;
  tip.style.top = `${top + scrollY - tip.offsetHeight - 6}px`;
  mark.style.left = `${x + scrollX}px`;
  mark.style.top = `${top + scrollY}px`;
  mark.style.height = `${height}px`;
}
