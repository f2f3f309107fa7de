import { ask, channelOf, DeliveryFailure } from "../../../../src/features/notify/channels/channel.ts";
import { chatLine, chatLines } from "../../../../src/features/notify/channels/chat-text.ts";
import { matrix as type } from "../../../core/config/matrix-type.ts";

/** The limit for the text of a message, in bytes. Matrix accepts events of 64 KB. */
const maxBytes = 8000;

/** An example of a channel. */
export const matrix = channelOf(type.options, ({ server, room, tokenEnv }, { secret }) => {
  const token = secret(tokenEnv).trim();
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new DeliveryFailure(`${tokenEnv} does not hold a token; set it to an access token.`);
  return async (message, context) => {
    // Matrix shows plain text without markup, and mentions only the users in m.mentions.
    const format = { text: chatLine, link: (label: string, url: string) => `${label}: ${chatLine(url)}` };
    const lines = [chatLine(message.title), ...chatLines(message, format, maxBytes)];
    const body = { msgtype: "m.notice", body: lines.join("\n"), "m.mentions": {} };
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${message.id}`;
    const headers = ["content-type", "application/json", "authorization", `Bearer ${token}`];
    await ask(new URL(path, server), { method: "PUT", headers, body: JSON.stringify(body) }, context);
    return {};
  };
});
