import { formatCount } from "../../../core/base/text/count.ts";
import type { Message, MessageEvent, MessageMirror } from "./message.ts";

/** How a format renders the parts of a message. Empty parts are left out. */
export interface Format {
  readonly heading: (title: string) => string;
  readonly text: (text: string) => string;
  readonly facts: (event: MessageEvent) => string;
  readonly mirror: (mirror: MessageMirror) => string;
  /** Renders what follows the event's mirrors. */
  readonly end?: (event: MessageEvent) => string;
}

/** Renders the events. `more` counts those that are not shown, such as `And 2 more events`. It is empty if there are none. */
export function outline(
  { events, more_events }: Pick<Message, "events" | "more_events">,
  { heading, text, facts, mirror, end = () => "" }: Format,
): { readonly parts: string[][]; readonly more: string } {
  const parts = events.map((event) =>
    [
      events.length > 1 ? heading(event.title) : "",
      text(event.sentence),
      facts(event),
      ...event.mirrors.map(mirror),
      event.more_mirrors > 0 ? text(`And ${formatCount(event.more_mirrors, "more mirror")}.`) : "",
      end(event),
    ].filter((part) => part !== ""),
  );
  return { parts, more: more_events > 0 ? `And ${formatCount(more_events, "more event")}` : "" };
}

/** Returns an event's page unless it is the page of one of its mirrors. */
export function ownPage({ page, mirrors }: MessageEvent): string | undefined {
  return mirrors.some((mirror) => mirror.page === page) ? undefined : page;
}
