import * as z from "../base/zod.ts";
import { isPrivateHost } from "../base/http/address.ts";
import { quote } from "../base/text/quote.ts";
import { parseUrl } from "../base/text/url.ts";
import { described } from "../kinds/kind.ts";
import { tokenVariable, variable } from "./values.ts";

interface ChannelDescription {
  readonly description: string;
  /** The keys besides `type`. Keys that end in `Env` hold the name of an environment variable. */
  readonly options: z.ZodRawShape;
  /** A valid entry of `channels`, without `type`. */
  readonly example: object;
}

/** Each type has its own file in features/notify/channels, which sends the notifications. */
export const channelTypes = {
  email: {
    description: "Mail over SMTP.",
    options: {
      server: z
        .string()
        .regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/, {
          error: "must be a server name, such as smtp.example.org; set the port with its own key",
        })
        .meta({ title: "host" })
        .describe("The mail server."),
      port: z
        .int()
        .min(1)
        .max(65_535)
        .exactOptional()
        .describe("The mail server's port (default: 465 with tls, 587 with starttls, 25 with none).")
        .meta({ examples: [2525] }),
      security: z
        .enum(["tls", "starttls", "none"])
        .default("tls")
        .describe(
          "How the connection is encrypted: from the start (tls), or by STARTTLS before the login and the mail (starttls). With none, no password is sent.",
        )
        .meta({ examples: ["starttls"] }),
      from: z
        .email({ error: "must be an email address, such as mirrors@example.org" })
        .describe("The sender's address.")
        .meta({ title: "email address" }),
      toEnv: variable.describe("The variable with the recipients' addresses, separated by commas."),
      userEnv: variable.exactOptional().describe("The variable with the user name."),
      passwordEnv: variable.exactOptional().describe("The variable with the password."),
    },
    example: {
      server: "smtp.example.org",
      from: "mirrors@example.org",
      toEnv: "OPS_EMAIL",
      userEnv: "SMTP_USER",
      passwordEnv: "SMTP_PASSWORD",
    },
  },
  github: {
    description:
      "Issues in a GitHub repository: one for each event, closed with a comment when the event is over. An issue that someone closed stays closed.",
    options: {
      repository: z
        .string()
        .regex(/^[A-Za-z0-9-]{1,39}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/, { error: "must be owner/name" })
        .describe("The repository for the issues, as owner/name.")
        .meta({ title: "repository" }),
      tokenEnv: tokenVariable
        .default("GITHUB_TOKEN")
        .describe("The variable with a token that may write issues.")
        .meta({ examples: ["ISSUES_TOKEN"] }),
      label: z
        .string()
        .regex(/^(?! )[^,\p{C}\p{Zl}\p{Zp}]{1,50}(?<! )$/u, { error: "must be a label, without a comma" })
        .default("mirrorfeed")
        .describe(
          "The label of the issues, by which mirrorfeed finds an issue if the answer to it was lost. Only people with write access to the repository can set it.",
        )
        .meta({ examples: ["mirrors"] }),
    },
    example: { repository: "example/mirrors" },
  },
  webhook: {
    description: "A request to your own URL, Slack or ntfy.",
    options: {
      urlEnv: variable.describe(
        "The variable with the URL. A user and password in the URL, as in https://user:password@hooks.example.org, are sent as Basic authentication.",
      ),
      secretEnv: variable
        .exactOptional()
        .describe(
          "The variable with the key that signs the body as in Standard Webhooks (HMAC-SHA256): whsec_ followed by 24 to 64 bytes in Base64.",
        ),
      body: z
        .enum(["json", "slack", "ntfy"])
        .default("json")
        .describe(
          "The format of the body: JSON as in webhook.schema.json, text for Slack and compatible chats, or JSON for an ntfy topic.",
        )
        .meta({ examples: ["slack"] }),
    },
    example: { urlEnv: "HOOK_URL", secretEnv: "HOOK_SECRET" },
  },
} satisfies Record<string, ChannelDescription>;

export type ChannelType = keyof typeof channelTypes;

export const channelName = z
  .string()
  .regex(/^(?!contact$)[a-z0-9][a-z0-9_-]{0,49}$/, {
    error: 'must be a name made of a-z, 0-9, "_" and "-", other than contact',
  })
  .meta({ title: "channel name" });

const allowPrivate = described(
  z.boolean().default(false),
  "Whether to allow loopback, private and link-local addresses, and connections without TLS.",
  true,
);
const [first = "email", ...others] = Object.keys(channelTypes).filter(isChannelType);

function channelSchema(type: ChannelType) {
  const { options, description }: ChannelDescription = channelTypes[type];
  const key = z.literal(type).describe("The channel's type, which determines its other keys.");
  return z
    .strictObject({ type: key, ...options, allowPrivate })
    .check(isPublicServer)
    .describe(description);
}

/** Reports a channel's `server` (a host or a URL) that is allowed only with `allowPrivate`. */
function isPublicServer({ value, issues }: z.core.ParsePayload<Record<string, unknown>>): void {
  const { server, allowPrivate: isAllowed } = value;
  if (typeof server !== "string" || isAllowed === true) return;
  const url = parseUrl(server);
  const fault = isPrivateHost(url?.hostname ?? server)
    ? "is in a private network"
    : url?.protocol === "http:"
      ? "has no TLS"
      : undefined;
  if (fault === undefined) return;
  const message = `${quote(server)} ${fault}; if that is intended, add "allowPrivate": true to this channel`;
  issues.push({ code: "custom", path: ["server"], message, input: server });
}

const channel = z.discriminatedUnion("type", [channelSchema(first), ...others.map(channelSchema)], {
  error: `must be one of ${[first, ...others].map(quote).join(", ")}`,
});

export type ChannelConfig = z.infer<typeof channel>;

export const channelsKey = described(
  z
    .record(channelName, channel)
    .refine((named) => Object.keys(named).length <= 1000, { error: "must have 1000 channels or fewer" })
    .default({}),
  "Where notifications are sent: channels, under names you choose. This file is public, so a key that ends in Env holds the name of an environment variable, not the secret itself.",
  { ops: { type: "webhook", ...channelTypes.webhook.example } },
);

function isChannelType(text: string): text is ChannelType {
  return Object.hasOwn(channelTypes, text);
}

/** Returns the names of a channel's environment variables: the values of its keys that end with `Env`. */
export function variablesOf(channel: ChannelConfig): string[] {
  return Object.entries(channel).flatMap(([key, value]) =>
    key.endsWith("Env") && typeof value === "string" ? [value] : [],
  );
}
