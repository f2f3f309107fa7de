/** The states of a mirror, the worst first. It can have several. `unknown`: there is no verdict yet. */
export const stateNames = [
  "offline",
  "behind",
  "differs",
  "maintenance",
  "certificate",
  "unknown",
  "online",
] as const;

export type StateName = (typeof stateNames)[number];

export const sorts = ["state", "uptime", "latency", "name"] as const;

export type Sort = (typeof sorts)[number];

export interface Filter {
  readonly query: string;
  readonly states: readonly string[];
  readonly sort: Sort | undefined;
}

export const noFilter: Filter = { query: "", states: [], sort: undefined };

/** Returns the filter in the query of a URL, such as `?q=git&state=offline,behind&sort=name`. */
export function parseFilter(search: string): Filter {
  const parameters = new URLSearchParams(search);
  const sort = parameters.get("sort");
  return {
    query: parameters.get("q") ?? "",
    states: (parameters.get("state") ?? "").split(",").filter((state) => state !== ""),
    sort: sorts.find((one) => one === sort),
  };
}

/** Returns the filter as the query of a URL: empty if it filters nothing. */
export function formatFilter({ query, states, sort }: Filter): string {
  const parts = [
    ...(query.trim() === "" ? [] : [`q=${encodeURIComponent(query)}`]),
    ...(states.length === 0 ? [] : [`state=${states.join(",")}`]),
    ...(sort === undefined ? [] : [`sort=${sort}`]),
  ];
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}
