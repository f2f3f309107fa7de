import type { Node, NodeSettings, TargetPlace } from "../config/nodes.ts";
import type { NoticeFile } from "../config/notice.ts";
import type { NotifyRule } from "../config/notify.ts";
import type { Config } from "../config/schema.ts";
import type { ContentIndex } from "../kinds/mirror-content.ts";
import type { Count } from "../state/counts.ts";
import type { NodeState } from "../state/schema.ts";
import type { Freshness } from "../state/freshness.ts";
import type { Notifications } from "../state/schema.ts";
import type { Status } from "../contract/network.ts";
import type { Run } from "./run.ts";
import type { Days, UptimeWindow } from "./uptime.ts";

// For outputs and notifications, which import neither the configuration nor the state.
export { accentOf } from "../config/site.ts";
export { isContentCode } from "../state/content-rule.ts";
export { type Count, dayMs } from "../state/counts.ts";
export { evidence } from "../state/verdict.ts";
export type { ChannelConfig } from "../config/notify.ts";
export { contactName, type EventName, eventNames, type NotifyRule } from "../config/notify.ts";
export {
  eventNodesKept,
  eventsKept,
  messagesKept,
  type Notifications,
  type NotifiedEvent,
  type WaitingMessage,
} from "../state/schema.ts";

export type Site = Config["site"];

/** A feed after a run, with everything known about its mirrors. Times are ISO 8601 in UTC. */
export interface Feed {
  readonly site: Site;
  /** The URL at which the site is published, without a slash at its end. */
  readonly url: string | undefined;
  readonly run: Run;
  /** Whether the prober was online in the last run, so that the statuses are backed by observations. */
  readonly isKnown: boolean;
  /** Whether a mirror was ever reached. If not, every status is 0, although no mirror was proved unreachable. */
  readonly everReached: boolean;
  /** The names of the vantages that observed the mirrors in the last 90 days. */
  readonly vantages: readonly string[];
  readonly systems: readonly System[];
  /** Those that began last come first. */
  readonly incidents: readonly Incident[];
  readonly incidentsByNode: ReadonlyMap<FeedNode, readonly Incident[]>;
  /** What the operator wrote of incidents, and announcements. Those that begin last come first. */
  readonly notices: readonly Notice[];
  /** All that mirrors.json has, those that begin first come first. */
  readonly maintenance: readonly Maintenance[];
  /** Who is notified of what, and the notifications that are stored. Nothing of this is published. */
  readonly rules: readonly NotifyRule[];
  readonly channels: Config["channels"];
  readonly notifications: Notifications | undefined;
  /** Whether private addresses are probed. */
  readonly allowPrivate: boolean;
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

/** A target with its position in the feed, without its nodes. */
export interface TargetInfo extends TargetPlace {
  readonly primary: number | undefined;
  readonly size: number;
  readonly reference: TargetReference | undefined;
}

/** What the nodes of a target are compared with. */
export interface TargetReference {
  /** Its first 16 digits if it is a Git object id, and when it was first observed. */
  readonly revision: string;
  readonly branch: string | undefined;
  readonly since: string;
  readonly content_at: string | undefined;
  /** How many refs are compared, if they are known. */
  readonly refs: number | undefined;
  /** The last tags that moved or vanished, the newest first. */
  readonly rewritten: readonly RewrittenTag[];
  /** What lists need to know of the newest content, and of that before it, the newest first. */
  readonly index: ContentIndex | undefined;
  readonly former: readonly FormerContent[];
}

interface FormerContent {
  readonly until: string;
  readonly content_at: string | undefined;
  readonly index: ContentIndex;
}

/** A tag that the reference had with one object and has with another. Ids are cut to 10 digits. */
export interface RewrittenTag {
  readonly at: string;
  readonly tag: string;
  readonly from: string;
  /** Undefined if the tag vanished. */
  readonly to: string | undefined;
}

export interface Target extends TargetInfo {
  readonly nodes: readonly FeedNode[];
}

/** What a node has as mirrors.json has it, and as the state has it: undefined before the first evidence. */
type ConfiguredFields = ("id" | "name" | "url" | "host" | "country" | "weight" | "primary") | "contact";
type StoredFields =
  | ("code" | "http_status" | "phase" | "cause" | "revision" | "branch" | "difference" | "differs")
  | ("refs_unread" | "content_code" | "last_reachable");

/** A mirror with the evidence for its status. Fields of the published documents have their names here. */
export interface FeedNode
  extends
    Required<Pick<Node, ConfiguredFields>>,
    Readonly<Required<Pick<NodeState, StoredFields>>>,
    Pick<NodeSettings, "kind" | "options"> {
  readonly target: TargetInfo;
  readonly status: Status;
  readonly since: string | undefined;
  /** The time of the last evidence for the status, if that is a day ago or more. */
  readonly unverified_since: string | undefined;
  readonly freshness: Freshness["state"];
  readonly behind_since: string | undefined;
  /** How much older than that of the reference its content is, in seconds. */
  readonly lag_seconds: number | undefined;
  readonly content_at: string | undefined;
  /** Since when `content_code`, or that it differs, is so. */
  readonly content_since: string | undefined;
  readonly tls_expires_at: string | undefined;
  /** The reason of its maintenance, or undefined outside of one. */
  readonly maintenance: string | undefined;
  readonly uptime: Readonly<Record<"24h" | "7d" | "30d" | "90d", UptimeWindow>>;
  readonly mean_latency_ms: number | undefined;
  /** The last changes of its status, newest first. */
  readonly transitions: readonly Transition[];
  /** The last changes of its freshness and its certificate, newest first. */
  readonly changes: readonly ContentChange[];
  /** Returns the counts of each whole day. They are unpacked on each call, since those of all nodes need much memory. */
  readonly days: () => Days | undefined;
  /** Returns the uptime of the last 90 whole days by vantage. */
  readonly vantages: () => readonly VantageUptime[];
  /** The counts of today and of the last 24 hours. Like `observed`, they change with every run. */
  readonly today: Count;
  readonly last24h: Count;
  readonly observed: Observed;
}

/** The last run's observation of a node. Empty if the run did not observe the node. */
export interface Observed {
  readonly code?: string;
  readonly checked_at?: string;
  readonly latency_ms?: number | undefined;
  readonly attempts?: number;
  readonly partial?: true | undefined;
  /** The code that each vantage observed, if they do not agree. */
  readonly votes?: readonly { readonly vantage: string; readonly code: string }[] | undefined;
}

/** A node as one vantage sees it. */
export interface VantageUptime {
  readonly vantage: string;
  /** The last code, undefined if the last run did not observe it. */
  readonly code: string | undefined;
  readonly uptime: UptimeWindow;
}

/** A change of a node's freshness, or of its certificate with the expiry. */
export interface ContentChange {
  readonly at: string;
  readonly code: string;
  readonly expires_at: string | undefined;
}

export interface Transition {
  readonly at: string;
  readonly status: Status;
  readonly code: string;
  /** How long the status before it lasted, if known. */
  readonly after_seconds: number | undefined;
}

/** Mirrors of one host that went offline for one reason. Times are ISO 8601 in UTC, and those of runs. */
export interface Incident {
  /** Permanent, and the name of its page. */
  readonly id: string;
  readonly host: string;
  readonly code: string;
  readonly start: string;
  /** Undefined while it lasts. */
  readonly end: string | undefined;
  /** In the order of their starts. A node that failed several times has several. */
  readonly outages: readonly Outage[];
  /** How many of its nodes have left the feed. */
  readonly gone: number;
}

/** A time in which a node was offline. */
export interface Outage {
  readonly node: FeedNode;
  readonly from: string;
  /** Undefined while it lasts. */
  readonly to: string | undefined;
}

/** A text of the operator about some mirrors, or an announcement. */
export interface Notice extends Omit<NoticeFile, "nodes" | "from" | "to"> {
  /** Undefined for an announcement. */
  readonly nodes: readonly FeedNode[] | undefined;
  readonly from: string;
  readonly to: string | undefined;
  /** The text, as HTML that is safe to show. */
  readonly html: string;
}

/** A time in which mirrors keep their verdict. */
export interface Maintenance extends Readonly<Config["maintenance"][number]> {
  /** The name of the mirror, the host, or the path of the targets. */
  readonly subject: string;
  readonly nodes: ReadonlySet<FeedNode>;
}

type Systems<Target> = readonly {
  readonly projects: readonly { readonly targets: readonly Target[] }[];
}[];

export function targetsOf<Target>(systems: Systems<Target>): Target[] {
  return systems.flatMap(({ projects }) => projects.flatMap(({ targets }) => targets));
}

export function nodesOf<Node>(targets: readonly { readonly nodes: readonly Node[] }[]): Node[] {
  return targets.flatMap(({ nodes }) => nodes);
}
