import type { Node } from "../../core/config/nodes.ts";
import { type Feed, targetsOf } from "../../core/feed/feed.ts";
import { listOrder } from "../lists/lists.ts";
import type { FeedNode } from "../../core/feed/feed-node.ts";
import { mirrorStates } from "../../core/verdict/mirror-state.ts";

export type Value = string | number | boolean | undefined | Scope | readonly Scope[];

/** The names that a section of a template can use. Functions are called only if their name is used. */
export type Scope = ReadonlyMap<string, Value | (() => Value)>;

/** Only fields that rarely change, so that rendered files don't change with every run. */
type Mirror = Pick<FeedNode, "id" | "name" | "url" | "host" | "country" | "state" | "primary">;

/** What decides which names a template can use. It is known before the first run. */
export type PlacedMirror = Pick<Node, "place" | "country">;

/** Returns a target's mirrors, best first. Among equally good mirrors, those in `country` come first. */
type Rank = (place: string, country?: string) => readonly Mirror[];

/** Returns the names that templates can use, with their values in a feed. */
export function viewOf(feed: Feed): Scope {
  const byPlace = new Map(targetsOf(feed.systems).map(({ place, nodes }) => [place, nodes]));
  const placed = [...byPlace].flatMap(([place, nodes]) => nodes.map(({ country }) => ({ place, country })));
  return scopeOf(placed, (place, country) => listOrder(feed, byPlace.get(place) ?? [], country));
}

/** Returns the names of `viewOf`, with placeholders of the same types. Each list has an item, so its names are known. */
export function namesOf(nodes: readonly PlacedMirror[]): Scope {
  const text = { name: "", url: "", host: "", country: "" };
  const mirrors = mirrorStates.map((state) => ({ id: 1, ...text, state, primary: true }));
  return scopeOf(nodes, () => mirrors);
}

function scopeOf(nodes: readonly PlacedMirror[], rank: Rank): Scope {
  const places = [...new Set(nodes.map(({ place }) => place))];
  const countries = [...new Set(nodes.flatMap(({ country }) => country ?? []))];
  const targetScope = (place: string, index: number): Scope =>
    scope([
      ["path", place],
      ["last", index === places.length - 1],
      ...rankingOf(() => rank(place)),
      ...countries.map((country): Named => {
        const ranking = rankingOf(() => rank(place, country));
        return [`country/${country.toLowerCase()}`, () => scope(ranking)];
      }),
    ]);
  return scope([
    ["targets", () => places.map(targetScope)],
    ...places.map((place, index): Named => [place, () => targetScope(place, index)]),
  ]);
}

type Named = readonly [name: string, Value | (() => Value)];

function scope(named: readonly Named[]): Scope {
  return new Map(named);
}

function rankingOf(rank: () => readonly Mirror[]): Named[] {
  return [
    ["best", () => mirrorScopes(rank().slice(0, 1))[0]],
    ["ranked", () => mirrorScopes(rank())],
    ...mirrorStates.map((state): Named => {
      return [state, () => mirrorScopes(rank().filter((mirror) => mirror.state === state))];
    }),
  ];
}

function mirrorScopes(mirrors: readonly Mirror[]): Scope[] {
  return mirrors.map(({ id, name, url, host, country, state, primary }, index) => {
    // A mirror's scope has a name for each state. The value is true if the mirror is in this state.
    const states = Object.fromEntries(mirrorStates.map((one) => [one, one === state]));
    const place = { rank: index + 1, last: index === mirrors.length - 1 };
    // A name without a value would be looked up in the sections around this one.
    const known = { id, name, url, host, country: country ?? "", state, primary };
    return scope(Object.entries({ ...known, ...place, ...states }));
  });
}

/**
 * Returns undefined if the scope has no value for the name. Target names can contain dots, so a name is split at a dot
 * only if the whole name is unknown.
 */
export function find(scope: Value, name: string): Value {
  if (!isScope(scope)) return undefined;
  const value = scope.get(name);
  if (value !== undefined) return typeof value === "function" ? value() : value;
  for (let dot = name.lastIndexOf("."); dot > 0; dot = name.lastIndexOf(".", dot - 1)) {
    const before = name.slice(0, dot);
    const found = scope.has(before) ? find(find(scope, before), name.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

export function isScope(value: Value): value is Scope {
  return value instanceof Map;
}

export function isList(value: Value): value is readonly Scope[] {
  return Array.isArray(value);
}
