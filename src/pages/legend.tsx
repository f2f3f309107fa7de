import type { DayKind } from "./days.tsx";
import { Shape, type ShapeName } from "./shape.tsx";

const shapes: readonly (readonly [ShapeName, string])[] = [
  ["online", "reachable when it was last observed"],
  ["offline", "not reachable"],
  ["some", "a target of which some mirrors are reachable"],
  ["unknown", "no verdict yet"],
];

const bars: readonly (readonly [DayKind, string])[] = [
  ["good", "a day without a failure"],
  ["some", "some runs failed"],
  ["bad", "half of the runs failed, or more"],
  ["unobserved", "not observed: it counts neither way"],
  ["before", "before the feed knew it"],
];

/** What the shapes, the bars and the numbers mean. */
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
        Uptime is of the observations alone, over 90 days to the last midnight in UTC. What was not observed
        is left out, and never held against a mirror. A mirror is behind when its target’s reference has left
        the revision it holds, and differs when it has moved to one that the reference did not have since.
      </p>
    </section>
  );
}
