import type { DayKind } from "./days.tsx";
import { Shape, type ShapeName } from "./shape.tsx";

const shapes: readonly (readonly [ShapeName, string])[] = [
  ["online", "reachable when last observed"],
  ["offline", "not reachable"],
  ["some", "a target with some reachable mirrors"],
  ["unknown", "no verdict yet"],
];

const bars: readonly (readonly [DayKind, string])[] = [
  ["good", "a day without a failure"],
  ["some", "some runs failed"],
  ["bad", "at least half of the runs failed"],
  ["unobserved", "not observed, so it does not count"],
  ["before", "before the mirror was in the feed"],
];

/** Renders the meaning of the shapes, the bars and the numbers. */
export function Legend(): preact.JSX.Element {
  return (
    <section class="legend" aria-labelledby="legend">
      <h2 id="legend">How to read this</h2>
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
            <svg class="days" viewBox="0 0 11 24" aria-hidden="true">
              <path class={kind} d="M0 12h11" />
            </svg>
            {words}
          </li>
        ))}
      </ul>
      <p>
        Uptime is the share of successful observations in the 90 days before the last midnight in UTC. Time
        without observations does not count. A mirror is behind if it has what its target’s reference had
        before. It differs if, for a day or longer, it lacks what the reference has.
      </p>
    </section>
  );
}
