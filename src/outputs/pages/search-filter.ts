import { type MirrorState, mirrorStates } from "../../contract/mirror-state.ts";

export type StateName = MirrorState | "certificate";

/** What the search filters by, the worst first. A certificate that expires soon comes beside a state. */
export const stateNames: readonly StateName[] = mirrorStates.flatMap((state): StateName[] =>
  state === "maintenance" ? ["certificate", state] : [state],
);

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
