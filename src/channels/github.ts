import * as z from "zod";
import { channelOf, variable } from "./channel.ts";

export const github = channelOf({
  description: "Issues of a repository on GitHub: one for each incident, closed at its end.",
  options: {
    repository: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/, { error: "must be owner/name" })
      .describe("The repository of the issues, as owner/name."),
    tokenEnv: variable.default("GITHUB_TOKEN").describe("The variable with a token that may write issues."),
    label: z.string().min(1).max(50).default("mirrorfeed").describe("The label of the issues."),
  },
  example: { repository: "example/mirrors" },
  send: () => Promise.reject(new Error("This channel does not send yet.")),
});
