import { type Node, nodesOf, type Target } from "../model/feed.ts";
import type { PageFeed } from "./links.ts";
import type { ShapeName } from "./shape.tsx";
import { targetShape } from "./summary.ts";

/** The state of a page's mirrors, for the title and the icon of a tab. */
export interface PageState {
  readonly shape: ShapeName;
  /** A few words, such as `2 offline`. */
  readonly text: string;
}

/** Returns the state of some targets: how many mirrors are offline, otherwise how many have no verdict. */
export function pageState(feed: PageFeed, targets: readonly Target[]): PageState {
  const { words, everReached } = feed;
  const nodes = nodesOf(targets);
  const count = (test: (node: Node) => boolean): number => nodes.filter(test).length;
  const unknown = everReached ? count(({ code }) => code === undefined) : nodes.length;
  const offline = everReached ? count(({ status, code }) => status === 0 && code !== undefined) : 0;
  const shapes = targets.map((target) => targetShape(feed, target));
  if (offline > 0) {
    const shape = shapes.includes("offline") ? "offline" : "some";
    return { shape, text: words.pageState.offline(words.number.integer(offline)) };
  }
  if (unknown > 0) return { shape: "unknown", text: words.pageState.unknown(words.number.integer(unknown)) };
  return { shape: "online", text: words.pageState.online };
}
