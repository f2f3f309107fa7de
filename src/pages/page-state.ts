import { nodesOf, type Target } from "../model/feed.ts";
import type { PageFeed } from "./links.ts";
import type { ShapeName } from "./shape.tsx";
import { countStates } from "./states.ts";
import { targetShape } from "./summary.ts";

/** The state of a page's mirrors, for the title and the icon of a tab. */
export interface PageState {
  readonly shape: ShapeName;
  /** A few words, such as `2 offline`. */
  readonly text: string;
}

/** Returns the state of some targets: how many mirrors are offline, otherwise how many have no verdict. */
export function pageState(feed: PageFeed, targets: readonly Target[]): PageState {
  const { pageState: words, number } = feed.words;
  const { offline, unknown } = countStates(feed, nodesOf(targets));
  if (offline > 0) {
    const isUnreachable = targets.some((target) => targetShape(feed, target) === "offline");
    return { shape: isUnreachable ? "offline" : "some", text: words.offline(number.integer(offline)) };
  }
  if (unknown > 0) return { shape: "unknown", text: words.unknown(number.integer(unknown)) };
  return { shape: "online", text: words.online };
}
