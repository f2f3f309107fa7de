import type { Message } from "../channels/message.ts";
import { type EventName, eventNames } from "../config/notify.ts";
import { formatCount, formatInteger, formatList } from "../base/text/count.ts";
import type { ChannelEvent } from "./channel-events.ts";
import { type Composing, feedPage } from "./composing.ts";

/** How the title of a digest counts events. */
const counted: Readonly<Record<EventName, (count: string) => string>> = {
  offline: (count) => `${count} offline`,
  behind: (count) => `${count} behind`,
  differs: (count) => `${count} different`,
  wrong_content: (count) => `${count} with wrong content`,
  rewritten: (count) => `${count} of rewritten tags`,
  certificate: (count) => `${count} of certificates`,
  never_online: (count) => `${count} never online`,
  feed: (count) => `${count} of the feed`,
};

/** Returns the title of a digest, such as `12 events: 9 offline, 3 behind`. */
export function digestTitle(events: readonly ChannelEvent[], phase: Message["phase"]): string {
  const parts = eventNames.flatMap((name) => {
    const count = events.filter((event) => event.name === name).length;
    return count === 0 ? [] : [counted[name](formatInteger(count))];
  });
  const total = formatCount(events.length, "event");
  return `${phase === "end" ? `${total} ${events.length === 1 ? "is" : "are"} over` : total}: ${parts.join(", ")}`;
}

const maxRules = 5;

/** Returns why a channel gets a message, and from which rules. */
export function reasonText(channel: string, events: readonly ChannelEvent[]): string {
  const names = [...new Set(events.map(({ rule }) => rule))];
  const more = names.length - maxRules;
  const shown = more > 0 ? [...names.slice(0, maxRules), `${more} more`] : names;
  const rules =
    names.length === 1
      ? `the rule ${shown.join("")} sends it there`
      : `the rules ${formatList(shown, "and")} send it there`;
  return isForContact(events)
    ? `You get this because the channel ${channel} is the contact of ${isOfOne(events) ? "this mirror" : "these mirrors"}, and ${rules}.`
    : `You get this through the channel ${channel}: ${rules}.`;
}

/** Returns how the receiver of a message can be left out. */
export function leaveText(channel: string, events: readonly ChannelEvent[], composing: Composing): string {
  const { title } = composing.config.site;
  const url = feedPage(composing);
  const who = url === undefined ? `those who run ${title}` : `those who run ${title} (${url})`;
  const change = isForContact(events)
    ? `the contact ${channel} of ${isOfOne(events) ? "this mirror" : "these mirrors"}`
    : `${channel} from the rules`;
  return `To be left out, remove ${change} in mirrors.json, or ask ${who} to do so.`;
}

function isForContact(events: readonly ChannelEvent[]): boolean {
  return events.every((event) => event.isForContact);
}

function isOfOne(events: readonly ChannelEvent[]): boolean {
  return new Set(events.flatMap(({ nodes }) => nodes)).size === 1;
}
