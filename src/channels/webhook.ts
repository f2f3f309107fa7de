import * as z from "zod";
import { channelOf, variable } from "./channel.ts";

export const webhook = channelOf({
  description: "A request to a URL of yours, of Slack or of ntfy.",
  options: {
    urlEnv: variable.describe("The variable with the URL."),
    secretEnv: variable
      .exactOptional()
      .describe("The variable with the key that signs the body (HMAC-SHA256)."),
    body: z.enum(["json", "slack", "ntfy"]).default("json").describe("The format of the body."),
  },
  example: { urlEnv: "HOOK_URL", secretEnv: "HOOK_SECRET" },
  send: () => Promise.reject(new Error("This channel does not send yet.")),
});
