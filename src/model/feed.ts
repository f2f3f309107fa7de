import type { Config } from "../config/schema.ts";
import type { KindName } from "../kinds/kinds.ts";
import type { Count } from "../state/counts.ts";
import type { Freshness } from "../state/freshness.ts";
import type { Status } from "../state/verdict.ts";
import type { Observed, Run } from "./run.ts";
import type { Days, UptimeWindow } from "./uptime.ts";

/** A feed after a run, with all that is known of its mirrors. Times are ISO 8601 in UTC. */
export interface Feed {
  readonly site: Config["site"];
  /** The URL that the site is published at, without a slash at its end. */
  readonly url: string | undefined;
  readonly run: Run;
  /** Whether the prober was online, so that the statuses rest on something. */
  readonly isKnown: boolean;
  /** Whether a mirror was ever reached: if not, every status is 0 and accuses no mirror. */
  readonly everReached: boolean;
  readonly systems: readonly System[];
}

export interface System {
  readonly system: string;
  readonly projects: readonly Project[];
}

export interface Project {
  readonly system: string;
  readonly project: string;
  readonly targets: readonly Target[];
}

/** A target with its place in the feed, without its nodes. */
export interface TargetHead {
  readonly system: string;
  readonly project: string;
  readonly target: string;
  /** `system/project/target`. */
  readonly place: string;
  /** The id of the node that the others are mirrors of. */
  readonly primary: number | undefined;
  /** The revision that the nodes are held against: its first 16 digits, and when it was first seen. */
  readonly reference:
    { readonly revision: string; readonly branch: string | undefined; readonly since: string } | undefined;
}

export interface Target extends TargetHead {
  readonly nodes: readonly Node[];
}

/** A mirror with the evidence for its status. Fields that the documents show have the names they have there. */
export interface Node {
  readonly of: TargetHead;
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** Hostname and port. */
  readonly host: string;
  readonly kind: KindName;
  /** Whether the other nodes of the target are mirrors of this one. */
  readonly primary: boolean;
  readonly status: Status;
  /** What brought the status; undefined, as what follows, if nothing did yet. */
  readonly code: string | undefined;
  readonly since: string | undefined;
  readonly http_status: number | undefined;
  /** How far the request came that brought the status, such as connect. */
  readonly phase: string | undefined;
  /** The code of the error that brought the status, such as CERT_HAS_EXPIRED. */
  readonly cause: string | undefined;
  /** The time of the last evidence for the status, if that is a day ago or more. */
  readonly unverified_since: string | undefined;
  readonly revision: string | undefined;
  readonly branch: string | undefined;
  readonly freshness: Freshness["state"];
  readonly behind_since: string | undefined;
  readonly tls_expires_at: string | undefined;
  /** Why it is in maintenance, if it is. */
  readonly maintenance: string | undefined;
  readonly uptime: Readonly<Record<"24h" | "7d" | "30d" | "90d", UptimeWindow>>;
  /** The mean of the last seven days. */
  readonly mean_latency_ms: number | undefined;
  /** The last changes of its status, the newest first. */
  readonly transitions: readonly Transition[];
  /** What was counted on each whole day. They are read anew each time, since those of all nodes would fill the memory. */
  readonly days: () => Days | undefined;
  /** What was counted today. It changes with every run, as what the last run observed does. */
  readonly today: Count;
  readonly observed: Observed;
}

/** A change of a node's status. */
export interface Transition {
  readonly at: string;
  readonly status: Status;
  readonly code: string;
  /** How long the status before it lasted, if that is known. */
  readonly after_seconds: number | undefined;
}

/** A feed, or a part of it. */
type Systems<Target> = readonly {
  readonly projects: readonly { readonly targets: readonly Target[] }[];
}[];

/** Returns every target of these systems, in their order. */
export function targetsOf<Target>(systems: Systems<Target>): Target[] {
  return systems.flatMap(({ projects }) => projects.flatMap(({ targets }) => targets));
}

/** Returns every node of these targets, in their order. */
export function nodesOf<Node>(targets: readonly { readonly nodes: readonly Node[] }[]): Node[] {
  return targets.flatMap(({ nodes }) => nodes);
}
