import { parseDuration } from "../base/text/duration.ts";
import type { Node } from "../config/nodes.ts";
import type { Config } from "../config/schema.ts";
import { type Format, formatIn } from "../base/text/timestamp.ts";
import { nodeEvidence, type NodeEvidence } from "../feed/evidence.ts";
import { incidentPath, nodePath, targetPath } from "../contract/page-paths.ts";
import { verdictOf } from "../feed/verdicts.ts";
import type { Incident, NotifiedEvent, State } from "../state/schema.ts";
import { group } from "../base/text/group.ts";
import { printable } from "../base/text/quote.ts";

/** What the texts of a message are composed of. */
export interface Composing {
  readonly config: Config;
  readonly state: State;
  readonly nodes: readonly Node[];
  /** The same mirrors, by `system/project/target`. */
  readonly byPlace: ReadonlyMap<string, readonly Node[]>;
  /** When the message was decided, in epoch milliseconds. */
  readonly at: number;
  /** Returns the same evidence of a mirror as its page and the report have. */
  readonly known: (node: Node) => NodeEvidence;
  /** Returns a time (epoch milliseconds or ISO 8601) for people, such as `2 Nov 2026, 07:00 UTC`. */
  readonly time: (at: number | string) => string;
  /** Returns the date of a time (ISO 8601) for people, such as `2 Nov 2026`. */
  readonly date: (at: string) => string;
}

/** Returns what the texts of a message are composed of. Times are in the time zone of the site. */
export function composing(config: Config, nodes: readonly Node[], state: State, at: number): Composing {
  const format: Format = formatIn("en-GB", config.site.timezone);
  const { maintenance, site } = config;
  const context = { at, maintenance, intervalMs: parseDuration(site.interval) };
  const known = new Map<Node, NodeEvidence>();
  return {
    config,
    state,
    nodes,
    byPlace: group(nodes.map((node) => [node.place, node])),
    at,
    known: (node) => {
      const evidence = known.get(node) ?? nodeEvidence(node, verdictOf(node, state), state, context);
      known.set(node, evidence);
      return evidence;
    },
    time: (time) => format.timestamp(new Date(time).toISOString()),
    date: (time) => format.date(time),
  };
}

/** Returns the URL of a page of the site, or undefined if the URL of the site is unknown. */
function pageAt({ config }: Composing, path: string): string | undefined {
  const url = config.site.url?.replace(/\/$/, "");
  return url === undefined ? undefined : `${url}${path}`;
}

/** Returns the URL of the page of a node. */
export function nodePage(composing: Composing, { id, place }: Node): string | undefined {
  const size = composing.byPlace.get(place)?.length ?? 0;
  return pageAt(composing, nodePath({ id, target: { place, size } }));
}

/** Returns the URL of the page of a target. */
export function targetPage(composing: Composing, place: string): string | undefined {
  return pageAt(composing, targetPath({ place }));
}

/** Returns the incident of an event, or undefined if it has none or the state no longer has it. */
export function incidentOf({ state }: Composing, { incident }: NotifiedEvent): Incident | undefined {
  return incident === undefined ? undefined : state.incidents?.[incident];
}

/** Returns the URL of the page of an event's incident, or undefined if the state has none. */
export function incidentPage(composing: Composing, event: NotifiedEvent): string | undefined {
  const { incident } = event;
  const isKept = incident !== undefined && incidentOf(composing, event) !== undefined;
  return isKept ? pageAt(composing, incidentPath(incident)) : undefined;
}

/** Returns the URL of the first page of the site. */
export function feedPage(composing: Composing): string | undefined {
  return pageAt(composing, "/");
}

const maxName = 120;

/** Returns the name of a node for a text. */
export function shortName({ name }: Node): string {
  return printable(name, maxName);
}
