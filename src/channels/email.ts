import * as z from "zod";
import { channelOf, variable } from "./channel.ts";

const hostname = z.string().regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, {
  error: "must be the name of a server, such as smtp.example.org; its port is a key of its own",
});

export const email = channelOf({
  description: "Mail by SMTP.",
  options: {
    server: hostname.describe("The mail server."),
    port: z
      .int()
      .min(1)
      .max(65_535)
      .exactOptional()
      .describe("Its port (default: 465 with tls, 587 with starttls, 25 with none)."),
    security: z
      .enum(["tls", "starttls", "none"])
      .default("tls")
      .describe(
        "How the connection is encrypted: from the start, or before anything is sent. With none, no password is sent.",
      ),
    from: z
      .email({ error: "must be a mail address, such as mirrors@example.org" })
      .describe("The address of the sender."),
    toEnv: variable.describe("The variable with the addresses of the receivers, separated by commas."),
    userEnv: variable.exactOptional().describe("The variable with the user's name."),
    passwordEnv: variable.exactOptional().describe("The variable with the password."),
  },
  example: {
    server: "smtp.example.org",
    from: "mirrors@example.org",
    toEnv: "OPS_EMAIL",
    userEnv: "SMTP_USER",
    passwordEnv: "SMTP_PASSWORD",
  },
  send: () => Promise.reject(new Error("This channel does not send yet.")),
});
