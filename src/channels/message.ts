/** A name and a value for people, such as "Code" and "dns". */
export type Fact = readonly [name: string, value: string];

/** What a message says of a mirror: the current facts that a person needs to act. */
export interface MessageMirror {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** `system/project/target`. */
  readonly place: string;
  /** Its page; undefined if the URL of the site is unknown. */
  readonly page?: string | undefined;
  /** What was seen of it and what was tried. */
  readonly evidence: readonly Fact[];
  /** A shell command that probes it again. */
  readonly command: string;
}

/**
 * One event, as it was when the message was composed. Its texts are those of mirrors.json and of mirrors, on one line and
 * without control or invisible characters. They may hold any other character: each channel escapes what has a meaning in
 * its format.
 */
export interface MessageEvent {
  /** The same for its begin and its end, and in every run. 16 hexadecimal digits. */
  readonly id: string;
  /** The digest that it began in, if it did, and whether all of that digest's events are over. */
  readonly digest?: { readonly id: string; readonly isOver: boolean } | undefined;
  /** Such as `offline`; a name of `eventNames` in src/config/notify.ts. */
  readonly event: string;
  readonly phase: "begin" | "end";
  /** The name of the rule that sent it first. */
  readonly rule: string;
  /** The host that its mirrors share; `system/project/target` that they share; undefined if they have several. */
  readonly host?: string | undefined;
  readonly place?: string | undefined;
  /** The code of an offline mirror, and the id of the incident. */
  readonly code?: string | undefined;
  readonly incident?: string | undefined;
  /** One line: what happened to what. */
  readonly title: string;
  /** What it means. */
  readonly sentence: string;
  /** ISO timestamps in UTC. Without `until` it lasts. */
  readonly since: string;
  readonly until?: string | undefined;
  /** What is known of the whole event. */
  readonly evidence: readonly Fact[];
  /** The first ones: 20 in all events of a message, and one of each at least. */
  readonly mirrors: readonly MessageMirror[];
  /** How many more there are. */
  readonly moreMirrors: number;
  /** The page of the incident, the mirror or the target. */
  readonly page?: string | undefined;
}

/** What a channel delivers at once: one event, or the digest of many. */
export interface Message {
  /** The same for every attempt: 16 hexadecimal digits. */
  readonly id: string;
  readonly phase: "begin" | "end";
  /** When it was decided, as an ISO timestamp in UTC. */
  readonly at: string;
  /** One line, for a subject. */
  readonly title: string;
  /** One or more. A text for people has the first `eventsShown` of them. */
  readonly events: readonly MessageEvent[];
  readonly feed: { readonly title: string; readonly url?: string | undefined };
  /** Why it came, from which rule, and how to be left out: sentences. */
  readonly reason: string;
  readonly leave: string;
}

/** How many events a text for people has; it says how many more there are. */
export const eventsShown = 20;
