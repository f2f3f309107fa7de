export { check, type CheckOptions, type CheckResult, type Counted } from "./check.ts";
export type { FreshnessReason, LeftOut, Mirror, Timestamps, Network } from "./documents.ts";
export type { Level, NotFound, Reason, Unknown } from "./outcome.ts";
export { type NonePicked, pick, type Picked, type PickOptions, type PickResult } from "./pick.ts";
export type { FeedOptions, Fetch, FetchInit, FetchResponse, Signal } from "./options.ts";
export type { Freshness } from "../contract/rank.ts";
