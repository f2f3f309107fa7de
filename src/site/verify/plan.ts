import type { FeedNames } from "../../contract.ts";
import { type ContractCase, documentCases, edgeCases } from "./cases.ts";

/** What will be asked of a deployment. */
export interface Plan {
  /** All names that are known of the feed. */
  readonly feed: FeedNames;
  /** Whether a configuration says the names; else they were read from the deployment itself. */
  readonly given: boolean;
  /** The part of the feed whose documents are asked for. */
  readonly sample: FeedNames;
  readonly sampled: Sampled;
  readonly cases: readonly ContractCase[];
}

export interface Sampled {
  readonly systems: { readonly checked: number; readonly of: number };
  readonly targets: { readonly checked: number; readonly of: number };
}

/** The documents may all be asked for twice: a feed that was published anew meanwhile does not agree with itself. */
const looks = 2;

/** All cases for a feed, or for a sample that is spread evenly over it, so that at most so many requests are made. */
export function planCases(feed: FeedNames, given: boolean, most: number): Plan {
  const edges = edgeCases(feed);
  const again = edges.filter(isDocument).length * (looks - 1);
  const sample = sampleFeed(feed, Math.floor((most - edges.length - again) / looks));
  const count = (of: FeedNames): number => of.reduce((sum, system) => sum + targetsOf(system).length, 0);
  return {
    feed,
    given,
    sample,
    sampled: {
      systems: { checked: sample.length, of: feed.length },
      targets: { checked: count(sample), of: count(feed) },
    },
    cases: [...documentCases(sample), ...edges],
  };
}

/** Whether a case asks for a document, which is compared with others. */
export function isDocument({ expect }: ContractCase): boolean {
  return expect.kind === "document";
}

/** So many items of a list, or all, at even distances from the first on. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (count >= items.length) return [...items];
  return Array.from({ length: count }, (_, place) => Math.floor((place * items.length) / count)).flatMap(
    (index) => items.slice(index, index + 1),
  );
}

function sampleFeed(feed: FeedNames, mostRequests: number): FeedNames {
  // A system whose targets are not known counts as one.
  const ends = feed.flatMap((system): object[] => {
    const targets = targetsOf(system);
    return targets.length === 0 ? [system] : [...targets];
  });
  const costOf = (sample: FeedNames): number => documentCases(sample).length;
  // Each end has a document at the least, with and without its slash.
  let count = Math.min(ends.length, Math.max(1, Math.floor(mostRequests / 2)));
  if (count === ends.length && costOf(feed) <= mostRequests) return feed;
  let sample = only(feed, new Set(spread(ends, count)));
  while (count > 1 && costOf(sample) > mostRequests) {
    count -= 1;
    sample = only(feed, new Set(spread(ends, count)));
  }
  return sample;
}

/** The part of a feed that leads to some of its ends. */
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

function targetsOf({ projects }: FeedNames[number]): FeedNames[number]["projects"][number]["targets"] {
  return projects.flatMap(({ targets }) => targets);
}
