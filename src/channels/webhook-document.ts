import { eventsShown, type Fact, type Message, type MessageEvent, type MessageMirror } from "./message.ts";
import type { EventDocument, MirrorDocument, WebhookDocument } from "./webhook-schema.ts";

/** Returns the body of a webhook for a message. */
export function webhookDocument({
  id,
  phase,
  at,
  title,
  feed,
  events,
  reason,
  leave,
}: Message): WebhookDocument {
  const shown = events.slice(0, eventsShown);
  return {
    type: `notification.${phase}`,
    timestamp: at,
    data: {
      id,
      title,
      feed: { title: feed.title, ...(feed.url !== undefined && { url: feed.url }) },
      events: shown.map(eventDocument),
      more_events: events.length - shown.length,
      reason,
      leave,
    },
  };
}

function eventDocument(event: MessageEvent): EventDocument {
  const { host, place, code, incident, until, page } = event;
  return {
    id: event.id,
    thread: event.thread,
    thread_over: event.isThreadOver,
    event: event.event,
    phase: event.phase,
    rule: event.rule,
    ...(host !== undefined && { host }),
    ...(place !== undefined && { place }),
    ...(code !== undefined && { code }),
    ...(incident !== undefined && { incident }),
    title: event.title,
    sentence: event.sentence,
    since: event.since,
    ...(until !== undefined && { until }),
    evidence: event.evidence.map(factDocument),
    mirrors: event.mirrors.map(mirrorDocument),
    more_mirrors: event.moreMirrors,
    ...(page !== undefined && { page }),
  };
}

function mirrorDocument({ page, evidence, command, ...named }: MessageMirror): MirrorDocument {
  const { id, name, url, place } = named;
  const known = page === undefined ? {} : { page };
  return { id, name, url, place, ...known, evidence: evidence.map(factDocument), command };
}

function factDocument([name, value]: Fact): { name: string; value: string } {
  return { name, value };
}
