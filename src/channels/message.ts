/** What a message says of a mirror: the current facts that a person needs to act. */
export interface MessageMirror {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  /** `system/project/target`. */
  readonly place: string;
  /** Its page; undefined if the URL of the site is unknown. */
  readonly page?: string | undefined;
  /** A name and a value each, such as "Code" and "dns". */
  readonly evidence: readonly (readonly [name: string, value: string])[];
  /** A shell command that asks again. */
  readonly command: string;
}

/** One event, as it was when the message was decided. Every text may hold any character that mirrors.json may hold. */
export interface MessageEvent {
  /** The same for its begin and its end, and in every run. 16 hexadecimal digits. */
  readonly id: string;
  /** The id of the message that began it. The events of a digest share it. */
  readonly thread: string;
  /** Whether every event of the thread has ended. */
  readonly isThreadOver: boolean;
  /** Such as `offline`; a name of `eventNames` in src/config/notify.ts. */
  readonly event: string;
  readonly phase: "begin" | "change" | "end";
  /** One line: what happened to what. */
  readonly title: string;
  /** One sentence: what it means. */
  readonly sentence: string;
  /** ISO timestamps in UTC. Without `until` it lasts. */
  readonly since: string;
  readonly until?: string | undefined;
  /** The first ones. */
  readonly mirrors: readonly MessageMirror[];
  /** How many more there are. */
  readonly moreMirrors: number;
  /** The page of the incident, or of the target. */
  readonly page?: string | undefined;
}

/** What a channel delivers at once: one event, or the digest of many. */
export interface Message {
  /** The same for every attempt: 16 hexadecimal digits. */
  readonly id: string;
  readonly phase: "begin" | "change" | "end";
  /** When it was decided, as an ISO timestamp in UTC. */
  readonly at: string;
  /** One line, for a subject. */
  readonly title: string;
  readonly events: readonly MessageEvent[];
  readonly feed: { readonly title: string; readonly url?: string | undefined };
  /** Why it came, from which rule, and how to be left out: sentences. */
  readonly reason: string;
  readonly leave: string;
}
