import type { Node } from "../../core/config/nodes.ts";
import { type Feed, targetsOf } from "../../core/feed/feed.ts";
import { type MirrorState, mirrorStates } from "../../core/verdict/mirror-state.ts";
import { listOrder } from "../lists/lists.ts";

export type Value = string | number | boolean | undefined | Scope | Scope[];

/** The names that a section of a template can use. Functions are called only if their name is used. */
export type Scope = Map<string, Value | (() => Value)>;

/** Only fields that rarely change, so that rendered files don't change with every run. */
type Mirror = Pick<Node, "id" | "name" | "url" | "host" | "country" | "primary"> & { state: MirrorState };

/** Returns the names that templates can use. Before there is a feed, lists have items, so that their names are known. */
export function viewOf(nodes: readonly Node[], feed?: Feed): Scope {
  const placeholders = nodes.slice(0, 1).flatMap((node) => mirrorStates.map((state) => ({ ...node, state })));
  const byPlace = new Map(targetsOf(feed?.systems ?? []).map((target) => [target.place, target.nodes]));
  const rank = (place: string, country?: string): readonly Mirror[] =>
    feed === undefined ? placeholders : listOrder(feed, byPlace.get(place) ?? [], country);
  const places = [...new Set(nodes.map(({ place }) => place))];
  const countries = [...new Set(nodes.flatMap(({ country }) => country ?? []))];
  const targetOf = (place: string, index: number): Scope =>
    new Map([
      ["path", place],
      ["last", index === places.length - 1],
      ...rankingOf(() => rank(place)),
      ...countries.map((country) => {
        const ranking = (): Scope => rankingOf(() => rank(place, country));
        return [`country/${country.toLowerCase()}`, ranking] as const;
      }),
    ]);
  return new Map([
    ["targets", (): Value => places.map(targetOf)],
    ...places.map((place, index) => [place, () => targetOf(place, index)] as const),
  ]);
}

/** Returns the lists of mirrors that `rank` returns best first. */
function rankingOf(rank: () => readonly Mirror[]): Scope {
  return new Map([
    ["best", (): Value => mirrorsOf(rank().slice(0, 1))[0]],
    ["ranked", () => mirrorsOf(rank())],
    ...mirrorStates.map((state) => {
      return [state, () => mirrorsOf(rank().filter((mirror) => mirror.state === state))] as const;
    }),
  ]);
}

function mirrorsOf(mirrors: readonly Mirror[]): Scope[] {
  // A name without a value would be looked up in the sections around this one, so the country is empty.
  return mirrors.map(({ id, name, url, host, country = "", state, primary }, index) => {
    const place = { rank: index + 1, last: index === mirrors.length - 1 };
    const own = { id, name, url, host, country, state, primary, ...place };
    return new Map([...Object.entries(own), ...mirrorStates.map((one) => [one, one === state] as const)]);
  });
}

/** Looks a name up in the first scope, then in the outer ones. Only a name that is unknown as a whole is split at a dot. */
export function find(name: string, [scope, ...outer]: readonly Scope[]): Value {
  if (scope === undefined) return undefined;
  const dot = scope.has(name) ? -1 : name.lastIndexOf(".");
  const section = dot > 0 ? find(name.slice(0, dot), [scope]) : undefined;
  const value = section instanceof Map ? find(name.slice(dot + 1), [section]) : scope.get(name);
  return (typeof value === "function" ? value() : value) ?? find(name, outer);
}
