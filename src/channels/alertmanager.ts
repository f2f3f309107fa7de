import * as z from "zod";
import { channelOf, variable } from "./channel.ts";

const checkedUrl = z.url({
  protocol: /^https?$/,
  error: "must be a URL that begins with http:// or https://",
});

export const alertmanager = channelOf({
  description: "Alerts for Prometheus Alertmanager, by its API v2.",
  options: {
    url: checkedUrl.describe("The URL of Alertmanager, without /api/v2/alerts."),
    userEnv: variable
      .exactOptional()
      .describe("The variable with the user's name, for Basic authentication."),
    passwordEnv: variable.exactOptional().describe("The variable with the password."),
  },
  example: { url: "https://alertmanager.example.org" },
  send: () => Promise.reject(new Error("This channel does not send yet.")),
});
