import { rank } from "../../core/verdict/rank.ts";
import { kindNames, kinds } from "../../core/kinds/kinds.ts";
import type { MirrorList } from "../../core/kinds/kind.ts";
import { type Feed, nodesOf, type Target } from "../../core/feed/feed.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";

/** A mirror list for a tool, and the nodes that it can contain, in configuration order. */
export interface ToolList {
  readonly list: MirrorList;
  readonly nodes: readonly FeedNode[];
}

/** Returns the mirror lists that can contain at least one of the nodes. */
export function toolLists(nodes: readonly FeedNode[]): ToolList[] {
  return kindNames.flatMap((kind) =>
    (kinds[kind].lists ?? []).flatMap((list) => {
      const own = nodes.filter((node) => node.kind === kind && (list.isFor?.(node.options) ?? true));
      return own.length > 0 ? [{ list, nodes: own }] : [];
    }),
  );
}

/** A file in the site that lists a target's mirrors. */
export interface TargetList {
  readonly path: string;
  readonly extension: string;
  /** Undefined for the plain list, with one URL per line. */
  readonly list?: MirrorList;
  /** The nodes that the list can contain, in configuration order. */
  readonly nodes: readonly FeedNode[];
  readonly country?: string;
}

/**
 * Returns all lists of a target. If any of its nodes has a country, the target has lists for each of `countries`, which
 * are the countries in the feed.
 */
export function targetLists({ place, nodes }: Target, countries: readonly string[]): TargetList[] {
  const hasCountry = nodes.some(({ country }) => country !== undefined);
  const formats = [
    { extension: "txt", nodes },
    ...toolLists(nodes).map(({ list, nodes: listed }) => ({
      extension: list.extension,
      list,
      nodes: listed,
    })),
  ];
  const ofAll = formats.map((one) => ({ ...one, path: `mirrorlist/${place}.${one.extension}` }));
  const byCountry = (hasCountry ? countries : []).flatMap((country) =>
    formats.map((one) => ({
      ...one,
      country,
      path: `${countryList({ place }, country)}.${one.extension}`,
    })),
  );
  return [...ofAll, ...byCountry];
}

/** Returns the path of a country's lists, without their extensions. */
export function countryList({ place }: Pick<Target, "place">, country: string): string {
  return `country/${country.toLowerCase()}/${place}`;
}

export function countriesOf(targets: readonly Target[]): string[] {
  return [...new Set(nodesOf(targets).flatMap(({ country }) => country ?? []))].sort();
}

/** Sorts nodes best first. If the prober was offline and no country is given, keeps their order. */
export function listOrder(
  { isKnown, run }: Pick<Feed, "isKnown" | "run">,
  nodes: readonly FeedNode[],
  country?: string,
): readonly FeedNode[] {
  return isKnown || country !== undefined ? rank(nodes, run.generated_at, country) : nodes;
}

/** A mirror that fails in every third run is not recommended. */
const minUptime = 2 / 3;

/** Whether a mirror is online, in no open notice, and reliable. */
export function isRecommendable({ state, status, notice, uptime }: FeedNode): boolean {
  return state === "online" && status === 1 && notice === undefined && (uptime["7d"].ratio ?? 1) > minUptime;
}

/**
 * Returns the first mirror of the mirror list that can be recommended. If there is none, returns the first one if it is
 * known to be reachable.
 */
export function bestOf(feed: Feed, { nodes }: Target): FeedNode | undefined {
  const ranked = listOrder(feed, nodes);
  const [first] = ranked;
  const isReachable = first?.status === 1 && first.state !== "unknown";
  return ranked.find(isRecommendable) ?? (isReachable ? first : undefined);
}

/**
 * Returns the mirror to recommend in each country that has one: there, the ranking puts it first. Elsewhere, others are
 * before it only because they are faster or the primary.
 */
export function bestNearby(
  feed: Feed,
  { nodes }: Target,
): { readonly country: string; readonly node: FeedNode }[] {
  const good = nodes.filter(isRecommendable);
  const countries = new Set(good.flatMap(({ country }) => country ?? []));
  return [...countries].flatMap((country) => {
    const [node] = listOrder(feed, good, country);
    return node?.country === country ? [{ country, node }] : [];
  });
}
