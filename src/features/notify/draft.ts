import type { Condition, ConditionNode } from "./conditions.ts";
import { isUrgent, receiverKey, receiverOf, setReceiver } from "./outbox.ts";
import { idOf } from "./queue.ts";
import { eventNodesKept, eventsKept, type Notifications, type WaitingMessage } from "./notifications.ts";

type Receiver = NonNullable<ReturnType<typeof receiverOf>>;

/** A copy of the notifications. A run changes the copy step by step. */
export class Draft {
  readonly events: Notifications["events"];
  readonly outbox: Notifications["outbox"];
  /** The ids of pending messages, by `receiverKey`. */
  readonly #waiting: Map<string, string>;
  #notUrgent: number;

  constructor({ events, outbox }: Notifications) {
    this.events = { ...events };
    this.outbox = { ...outbox };
    this.#waiting = new Map(
      Object.entries(outbox).flatMap(([id, { channel, events: ids }]) =>
        ids.map((event) => [receiverKey(event, channel), id] as const),
      ),
    );
    this.#notUrgent = Object.values(events).filter((event) => !isUrgent(event)).length;
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

  /** Returns the phase of a channel's pending message about an event, if any. */
  phaseOf(id: string, channel: string): WaitingMessage["phase"] | undefined {
    return this.outbox[this.#waiting.get(receiverKey(id, channel)) ?? ""]?.phase;
  }

  /**
   * Removes an event from a channel's pending message. If an attempt to send the message may have reached the channel,
   * the event is marked as `unsure` for the channel.
   */
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
   * Adds an event and returns its id. Adds nothing and returns undefined if the event is not urgent and there are
   * already `eventsKept` events that are not urgent.
   */
  create(
    key: string,
    { event, incident, place, host }: Condition,
    due: readonly ConditionNode[],
    at: number,
  ): string | undefined {
    if (!isUrgent({ event })) {
      if (this.#notUrgent >= eventsKept) return undefined;
      this.#notUrgent += 1;
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
