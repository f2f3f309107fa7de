import type { Words } from "./words/words.ts";
import type { DayKind } from "../../base/text/day-kind.ts";
import { Shape, type ShapeName } from "./parts.tsx";

/** Renders the meaning of the shapes, the bars and the numbers. */
export function legendSection({ legend }: Words): preact.JSX.Element {
  const shapes: readonly (readonly [ShapeName, string])[] = [
    ["online", legend.online],
    ["offline", legend.offline],
    ["some", legend.some],
    ["unknown", legend.unknown],
  ];
  const bars: readonly (readonly [DayKind, string])[] = [
    ["good", legend.goodDay],
    ["some", legend.someDay],
    ["bad", legend.badDay],
    ["unobserved", legend.unobservedDay],
    ["before", legend.dayBefore],
  ];
  return (
    <section class="legend" aria-labelledby="legend">
      <h2 id="legend">{legend.heading}</h2>
      <ul>
        {shapes.map(([name, words]) => (
          <li>
            <Shape name={name} />
            {words}
          </li>
        ))}
      </ul>
      <ul>
        {bars.map(([kind, words]) => (
          <li>
            <svg class="days" viewBox="0 0 11 24" width={11} height={24} aria-hidden="true">
              <path class={kind} d="M0 12h11" />
            </svg>
            {words}
          </li>
        ))}
      </ul>
      <p>{legend.explanation}</p>
    </section>
  );
}
