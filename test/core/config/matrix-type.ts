import * as z from "zod";
import { variable } from "../../../src/core/config/values.ts";

/** An example of an entry of `channelTypes` in src/core/config/channels.ts. */
export const matrix = {
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
};
