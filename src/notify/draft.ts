import { eventNodesKept, eventsKept, type Notifications, type WaitingMessage } from "../feed/feed.ts";
import type { Condition, ConditionNode } from "./conditions.ts";
import { isUrgent, receiverKey, receiverOf, setReceiver } from "./outbox.ts";
import { idOf } from "./queue.ts";

type Receiver = NonNullable<ReturnType<typeof receiverOf>>;

/** The notifications while a run decides them. */
export class Draft {
  readonly events: Notifications["events"];
  readonly outbox: Notifications["outbox"];
  /** The messages that wait, by `receiverKey`. */
  readonly #waiting: Map<string, string>;
  /** How many events there are that can wait. */
  #patient: number;

  constructor({ events, outbox }: Notifications) {
    this.events = { ...events };
    this.outbox = { ...outbox };
    this.#waiting = new Map(
      Object.entries(outbox).flatMap(([id, { channel, events: ids }]) =>
        ids.map((event) => [receiverKey(event, channel), id] as const),
      ),
    );
    this.#patient = Object.values(events).filter((event) => !isUrgent(event)).length;
  }

  receiver(id: string, channel: string): Receiver | undefined {
    return receiverOf(this.events[id], channel);
  }

  update(id: string, channel: string, changes: Partial<Receiver>): void {
    const known = this.receiver(id, channel);
    if (known !== undefined) setReceiver(this.events, id, channel, { ...known, ...changes });
  }

  remove(id: string, channel: string): void {
    setReceiver(this.events, id, channel, undefined);
  }

  /** Returns a channel's pending messages about an event. */
  phaseOf(id: string, channel: string): WaitingMessage["phase"] | undefined {
    return this.outbox[this.#waiting.get(receiverKey(id, channel)) ?? ""]?.phase;
  }

  /** Takes an event out of the message that waits for a channel. If an attempt may have arrived, that is kept. */
  cancel(id: string, channel: string): void {
    const key = receiverKey(id, channel);
    const messageId = this.#waiting.get(key) ?? "";
    const message = this.outbox[messageId];
    if (message === undefined) return;
    this.#waiting.delete(key);
    const left = message.events.filter((event) => event !== id);
    if (left.length > 0) this.outbox[messageId] = { ...message, events: left };
    else Reflect.deleteProperty(this.outbox, messageId);
    const { attempts = 0, failures = 0 } = message;
    if (attempts > failures) this.update(id, channel, { unsure: true });
  }

  /**
   * Adds an event, and returns its id. Returns undefined if it can wait, and there are as many of those as are kept.
   */
  create(
    key: string,
    { event, incident, place, host }: Condition,
    due: readonly ConditionNode[],
    at: number,
  ): string | undefined {
    if (!isUrgent({ event })) {
      if (this.#patient >= eventsKept) return undefined;
      this.#patient += 1;
    }
    const since = due.reduce((earliest, one) => Math.min(earliest, one.since), at);
    const id = idOf([key, since, at]);
    const decided = event === "rewritten" ? at : undefined;
    this.events[id] = { event, nodes: [], incident, place, host, since, decided, to: {} };
    return id;
  }

  join(id: string, due: readonly ConditionNode[]): void {
    const event = this.events[id];
    if (event === undefined) return;
    const members = new Set(event.nodes);
    const joining = due
      .flatMap(({ node }) => (node === undefined || members.has(node.id) ? [] : [node.id]))
      .slice(0, eventNodesKept - members.size);
    if (joining.length === 0) return;
    const nodes = [...event.nodes, ...joining].sort((one, other) => one - other);
    this.events[id] = { ...event, nodes };
  }
}
