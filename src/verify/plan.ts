import type { FeedNames } from "../hosts/contract.ts";
import { targetsOf } from "../model/feed.ts";
import { type ContractCase, documentCases, edgeCases } from "./cases.ts";

/** The requests for a deployment. */
export interface CasePlan {
  /** All known names of the feed. */
  readonly feed: FeedNames;
  /** Whether the names come from a configuration, else from the deployment itself. */
  readonly given: boolean;
  /** The part of the feed whose documents are requested. */
  readonly sample: FeedNames;
  readonly sampled: Sampled;
  readonly cases: readonly ContractCase[];
}

/** How many things were checked, and how many are known. */
export interface Coverage {
  readonly checked: number;
  readonly of: number;
}

export interface Sampled {
  readonly systems: Coverage;
  readonly targets: Coverage;
}

/** All documents may be requested twice, since a feed that is published meanwhile does not agree with itself. */
const attempts = 2;

/**
 * Returns all cases for a feed. If they need more than `max` requests, returns those of a sample that is spread evenly.
 */
export function planCases(feed: FeedNames, given: boolean, max: number): CasePlan {
  const edges = edgeCases(feed);
  const again = edges.filter(isDocument).length * (attempts - 1);
  const sample = sampleFeed(feed, Math.floor((max - edges.length - again) / attempts));
  return {
    feed,
    given,
    sample,
    sampled: {
      systems: { checked: sample.length, of: feed.length },
      targets: { checked: targetsOf(sample).length, of: targetsOf(feed).length },
    },
    cases: [...documentCases(sample), ...edges],
  };
}

/** Returns whether a case requests a document, which is compared with others. */
export function isDocument({ expect }: ContractCase): boolean {
  return expect.kind === "document";
}

/** Returns `count` items of a list at even distances, from the first one on, or all. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (count >= items.length) return [...items];
  return Array.from({ length: count }, (_, turn) => Math.floor((turn * items.length) / count)).flatMap(
    (index) => items.slice(index, index + 1),
  );
}

function sampleFeed(feed: FeedNames, maxRequests: number): FeedNames {
  // A system without known targets counts as one.
  const ends = feed.flatMap((system): object[] => {
    const targets = targetsOf([system]);
    return targets.length === 0 ? [system] : [...targets];
  });
  const costOf = (sample: FeedNames): number => documentCases(sample).length;
  // Each end has at least one document, with and without its slash.
  let count = Math.min(ends.length, Math.max(1, Math.floor(maxRequests / 2)));
  if (count === ends.length && costOf(feed) <= maxRequests) return feed;
  let sample = only(feed, new Set(spread(ends, count)));
  while (count > 1 && costOf(sample) > maxRequests) {
    count -= 1;
    sample = only(feed, new Set(spread(ends, count)));
  }
  return sample;
}

/** Returns the part of a feed that leads to some of its ends. */
function only(feed: FeedNames, ends: ReadonlySet<object>): FeedNames {
  return feed
    .map((system) => ({
      whole: system,
      part: {
        system: system.system,
        projects: system.projects
          .map(({ project, targets }) => ({ project, targets: targets.filter((target) => ends.has(target)) }))
          .filter(({ targets }) => targets.length > 0),
      },
    }))
    .filter(({ whole, part }) => part.projects.length > 0 || ends.has(whole))
    .map(({ part }) => part);
}
