import type { Words } from "./words/words.ts";
import type { FeedNode } from "../../feed/feed.ts";
import type { Days } from "../../feed/uptime.ts";

const windows = [
  ["24h", 1],
  ["7d", 7],
  ["30d", 30],
  ["90d", 90],
] as const;

/**
 * Renders the uptime over each window, and how much of it was observed if that was not all. The script adds today, up to the
 * last run.
 */
export function uptimeWindows(
  words: Words,
  { uptime }: Pick<FeedNode, "uptime">,
  days: Days | undefined,
): preact.JSX.Element {
  const { number, mirrors } = words;
  const { uptimeWindows, asOf } = mirrors;
  return (
    <>
      <p class="uptime">
        {uptimeWindows.heading} <span data-as-of="">{asOf.midnight}</span>
      </p>
      <dl class="uptime">
        {windows.map(([key, length]) => {
          const { ratio, coverage } = uptime[key];
          return [
            <dt>{length === 1 ? uptimeWindows.day : mirrors.days.days(length)}</dt>,
            <dd data-sums={length === 1 ? "24h" : windowSum(days, length)}>{ratioText(words, ratio)}</dd>,
            coverage < 1 && <dd class="quiet">{uptimeWindows.observed(number.percent(coverage, 0))}</dd>,
          ];
        })}
      </dl>
    </>
  );
}

/** Returns how many runs found a mirror online and offline on the last days, such as `4310,10`. The script adds today. */
export function windowSum(days: Days | undefined, length: number): string {
  const sum = (counts: readonly number[] = []): number =>
    counts.slice(-length).reduce((one, other) => one + other, 0);
  return `${sum(days?.ok)},${sum(days?.failed)}`;
}

/** Returns a share as a percentage, or a dash if it is not known. */
export function ratioText({ number }: Words, ratio: number | undefined): string {
  return ratio === undefined ? "–" : number.percent(ratio);
}
