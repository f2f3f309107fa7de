import * as z from "zod";
import { ask, channelOf, failed, variable } from "../../../../src/features/notify/channels/channel.ts";
import { chatLine, chatLines } from "../../../../src/features/notify/channels/chat-text.ts";

/** The limit for the text of a message, in bytes. Matrix accepts events of 64 KB. */
const maxBytes = 8000;

/** An example of a channel. */
export const matrix = channelOf({
  description: "Notifications in a Matrix room.",
  options: {
    server: z.url({ protocol: /^https?$/ }).describe("The URL of the homeserver."),
    room: z
      .string()
      .regex(/^![^\s/]{1,254}$/, { error: "must be the id of a room, such as !abc:example.org" })
      .describe("The id of the room."),
    tokenEnv: variable.describe("The variable with the access token."),
  },
  example: { server: "https://matrix.example.org", room: "!abc:example.org", tokenEnv: "MATRIX_TOKEN" },
  read: ({ server, room, tokenEnv }, { secret }) => {
    const token = secret(tokenEnv).trim();
    if (!/^[\x21-\x7e]+$/.test(token))
      throw failed(`${tokenEnv} does not hold a token; set it to an access token.`);
    return { server, room, token };
  },
  send: async (message, { server, room, token }, context) => {
    // Matrix shows plain text without markup, and mentions only the users in m.mentions.
    const format = { text: chatLine, link: (label: string, url: string) => `${label}: ${chatLine(url)}` };
    const lines = [chatLine(message.title), ...chatLines(message, format, maxBytes)];
    const body = { msgtype: "m.notice", body: lines.join("\n"), "m.mentions": {} };
    const path = `/_matrix/client/v3/rooms/${encodeURIComponent(room)}/send/m.room.message/${message.id}`;
    const headers = ["content-type", "application/json", "authorization", `Bearer ${token}`];
    await ask(new URL(path, server), { method: "PUT", headers, body: JSON.stringify(body) }, context);
    return undefined;
  },
});
