import { formatCount } from "../text/count.ts";

/**
 * Every word of the pages in English. A group belongs to the file of `src/pages/` with its name. A text with values is a
 * function, so that each language can order and inflect its words.
 */
export const english = {
  legend: {
    heading: "How to read this",
    online: "reachable when last observed",
    offline: "not reachable",
    some: "a target with some reachable mirrors",
    unknown: "no verdict yet",
    goodDay: "a day without a failure",
    someDay: "some runs failed",
    badDay: "at least half of the runs failed",
    unobservedDay: "not observed, so it does not count",
    dayBefore: "before the mirror was in the feed",
    explanation:
      "Uptime is the share of successful observations in the 90 days before the last midnight in UTC. Time without observations does not count. A mirror is behind if it has what its target’s reference had before. It differs if, for a day or longer, it lacks what the reference has.",
  },
  count: {
    mirrors: (count: number): string => formatCount(count, "mirror"),
    targets: (count: number): string => formatCount(count, "target"),
  },
};

/** Every word of the pages. English defines what there is. */
export type Words = typeof english;
