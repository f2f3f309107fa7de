import { chatLine, chatLines } from "./chat-text.ts";
import { failed } from "./delivering.ts";
import type { Message } from "./message.ts";

/** ntfy makes a file of a longer message: 4,096 bytes. */
const maxBytes = 3900;

/** What the phases look like: the tags become emojis, and 3 is the usual priority of 1 to 5. */
const looks = {
  begin: { tags: ["rotating_light"], priority: 4 },
  end: { tags: ["white_check_mark"], priority: 3 },
};

/**
 * Returns the URL and the body of a message for ntfy, which publishes JSON at its root
 * (https://docs.ntfy.sh/publish/#publish-as-json). `url` is that of the topic. Throws a DeliveryFailure if it names none.
 */
export function ntfyRequest(message: Message, url: URL): { url: URL; body: object } {
  const [, above = "/", topic] = /^(.*\/)([-_A-Za-z0-9]{1,64})\/?$/.exec(url.pathname) ?? [];
  if (topic === undefined) {
    throw failed("Its URL does not end in a topic of ntfy, as https://ntfy.sh/topic does.");
  }
  const format = { text: chatLine, link: (label: string, page: string) => `${label}: ${chatLine(page)}` };
  const { tags, priority } = looks[message.phase];
  const [first] = message.events;
  const click = (message.events.length === 1 ? first?.page : undefined) ?? message.feed.url;
  const names = [...new Set(message.events.map(({ event }) => event))].slice(0, 5);
  const body = {
    topic,
    title: chatLine(message.title, 200),
    message: chatLines(message, format, maxBytes).join("\n"),
    tags: [...tags, ...names],
    priority,
    ...(click !== undefined && /^https?:/.test(click) && { click }),
  };
  return { url: new URL(above, url), body };
}
