import * as z from "zod";
import { parseUrl } from "../base/text/url.ts";
import { channelOf, variable } from "./channel.ts";
import { ask, basicAuthorization, delivering, failed } from "./delivering.ts";
import type { Message } from "./message.ts";
import { ntfyRequest } from "./ntfy.ts";
import { slackBody } from "./slack.ts";
import { webhookDocument } from "./webhook-document.ts";
import { signatureHeaders } from "./webhook-signature.ts";

/** How much of the answer is read. Only its status counts. */
const maxBytes = 64 * 1024;

export const webhook = channelOf({
  description: "A request to a URL of yours, of Slack or of ntfy.",
  options: {
    urlEnv: variable.describe(
      "The variable with the URL. User and password in it, as in https://user:password@hooks.example.org, are sent by Basic authentication.",
    ),
    secretEnv: variable
      .exactOptional()
      .describe(
        "The variable with the key that signs the body by Standard Webhooks (HMAC-SHA256): whsec_ and Base64 of 24 bytes or more.",
      ),
    body: z
      .enum(["json", "slack", "ntfy"])
      .default("json")
      .describe(
        "The format of the body: JSON by webhook.schema.json, a text for Slack and chats like it, or JSON for the URL of a topic of ntfy.",
      )
      .meta({ examples: ["slack"] }),
  },
  example: { urlEnv: "HOOK_URL", secretEnv: "HOOK_SECRET" },
  send: (message, { urlEnv, secretEnv, body: format }, context) =>
    delivering(async () => {
      const given = parseUrl(context.secret(urlEnv).trim());
      if (given === undefined) throw failed(`${urlEnv} does not hold a URL.`);
      const { url, body } = requestOf(message, format, given);
      const text = JSON.stringify(body);
      const signed =
        secretEnv === undefined
          ? []
          : signatureHeaders(message.id, context.now(), text, context.secret(secretEnv));
      const headers = [
        ...["content-type", "application/json", "idempotency-key", message.id],
        ...authorization(given),
        ...signed,
      ];
      await ask(url, { method: "POST", headers, body: text, maxBytes }, context);
    }),
});

function requestOf(
  message: Message,
  format: "json" | "slack" | "ntfy",
  url: URL,
): { url: URL; body: object } {
  if (format === "ntfy") return ntfyRequest(message, url);
  return { url, body: format === "slack" ? slackBody(message) : webhookDocument(message) };
}

function authorization({ username, password }: URL): string[] {
  if (username === "" && password === "") return [];
  return basicAuthorization(decoded(username), decoded(password));
}

/** Decodes a part of a URL. A percent sign that does not encode anything stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
