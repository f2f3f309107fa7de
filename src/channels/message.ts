import { formatCount } from "../base/text/count.ts";

/** A name and a value for people, such as "Code" and "dns". */
export type Fact = readonly [name: string, value: string];

/** What a message says of a mirror. The fields are described in webhook-document.ts. */
export interface MessageMirror {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly place: string;
  readonly page?: string | undefined;
  readonly evidence: readonly Fact[];
  readonly command: string;
}

/**
 * One event, as it was when the message was composed. Its texts are those of mirrors.json and of mirrors, on one line and
 * without control or invisible characters. They may hold any other character: each channel escapes what has a meaning in
 * its format. Timestamps are ISO timestamps in UTC. The fields are described in webhook-document.ts.
 */
export interface MessageEvent {
  readonly id: string;
  /** The digest that it began in, if it did, and whether all of that digest's events are over. */
  readonly digest?: { readonly id: string; readonly isOver: boolean } | undefined;
  /** A name of `eventNames` in src/config/notify.ts. */
  readonly event: string;
  readonly phase: "begin" | "end";
  readonly rule: string;
  readonly host?: string | undefined;
  readonly place?: string | undefined;
  readonly code?: string | undefined;
  readonly incident?: string | undefined;
  readonly title: string;
  readonly sentence: string;
  readonly since: string;
  readonly until?: string | undefined;
  readonly evidence: readonly Fact[];
  /** The first ones: 20 in all events of a message, and one of each at least. */
  readonly mirrors: readonly MessageMirror[];
  readonly moreMirrors: number;
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
  /** One or more. */
  readonly events: readonly MessageEvent[];
  readonly feed: { readonly title: string; readonly url?: string | undefined };
  /** Why it came, from which rule, and how to be left out: sentences. */
  readonly reason: string;
  readonly leave: string;
}

/** How many events a text for people has; it says how many more there are. */
export const eventsShown = 20;

/** Returns how many more events there are than are shown, as "And 2 more events"; empty if there are none. */
export function moreEvents(events: readonly MessageEvent[]): string {
  const more = events.length - eventsShown;
  return more > 0 ? `And ${formatCount(more, "more event")}` : "";
}

/** Returns how many more mirrors an event has than are listed, as a line. */
export function moreMirrors({ moreMirrors: more }: MessageEvent): string[] {
  return more > 0 ? [`And ${formatCount(more, "more mirror")}.`] : [];
}
