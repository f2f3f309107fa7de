import { eventsShown, type Fact, type Message, type MessageEvent, type MessageMirror } from "./message.ts";
import type { EventDocument, MirrorDocument, WebhookDocument } from "./webhook-schema.ts";

/** Returns the body of a webhook for a message. JSON leaves out what is undefined. */
export function webhookDocument(message: Message): WebhookDocument {
  const shown = message.events.slice(0, eventsShown);
  return {
    type: `notification.${message.phase}`,
    timestamp: message.at,
    data: {
      id: message.id,
      title: message.title,
      feed: message.feed,
      events: shown.map(eventDocument),
      more_events: message.events.length - shown.length,
      reason: message.reason,
      leave: message.leave,
    },
  };
}

function eventDocument(event: MessageEvent): EventDocument {
  return {
    id: event.id,
    event: event.event,
    phase: event.phase,
    rule: event.rule,
    host: event.host,
    place: event.place,
    code: event.code,
    incident: event.incident,
    title: event.title,
    sentence: event.sentence,
    since: event.since,
    until: event.until,
    evidence: event.evidence.map(factDocument),
    mirrors: event.mirrors.map(mirrorDocument),
    more_mirrors: event.moreMirrors,
    page: event.page,
  };
}

function mirrorDocument(mirror: MessageMirror): MirrorDocument {
  return { ...mirror, evidence: mirror.evidence.map(factDocument) };
}

function factDocument([name, value]: Fact): { name: string; value: string } {
  return { name, value };
}
