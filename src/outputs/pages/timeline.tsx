import type { Incident, FeedNode } from "../../feed/feed.ts";
import { titleLink } from "./incident-list.tsx";
import { nodePath, type PageFeed } from "./links.ts";
import { Shape } from "./parts.tsx";
import { exactTime } from "./timestamp.tsx";

/** The mirrors that changed at one time, in one direction. */
interface TimelineStep {
  readonly at: string;
  readonly isOnline: boolean;
  readonly nodes: FeedNode[];
}

/** A step names no more mirrors than this, and a timeline has no more steps. */
const maxNamed = 5;
const maxSteps = 100;

/** Renders the changes of an incident, newest first: which mirrors went offline, and which came back. */
export function timeline(feed: PageFeed, incident: Incident): preact.JSX.Element {
  const { incidents: words } = feed.words;
  const steps = stepsOf(incident);
  return (
    <>
      <ol>
        {steps.slice(0, maxSteps).map(({ at, isOnline, nodes }) => (
          <li>
            {exactTime(feed, at)}
            <Shape name={isOnline ? "online" : "offline"} />
            <span>
              {isOnline ? words.cameBack(nodes.length) : words.wentOffline(nodes.length)}{" "}
              {nodes
                .slice(0, maxNamed)
                .map((node, index) => [index > 0 && ", ", titleLink(feed, nodePath(node), node.name)])}
              {nodes.length > maxNamed && `, ${words.more(nodes.length - maxNamed)}`}
            </span>
          </li>
        ))}
      </ol>
      {steps.length > maxSteps && <p class="quiet">{words.more(steps.length - maxSteps)}</p>}
    </>
  );
}

function stepsOf({ outages }: Incident): TimelineStep[] {
  const steps = new Map<string, TimelineStep>();
  const add = (at: string, isOnline: boolean, node: FeedNode): void => {
    const key = `${at} ${isOnline ? "2" : "1"}`;
    const known = steps.get(key);
    if (known === undefined) steps.set(key, { at, isOnline, nodes: [node] });
    else known.nodes.push(node);
  };
  for (const { node, from, to } of outages) {
    add(from, false, node);
    if (to !== undefined) add(to, true, node);
  }
  return [...steps].sort(([one], [other]) => (one < other ? 1 : -1)).map(([, step]) => step);
}
