import { isIP } from "node:net";
import * as z from "zod";
import { asFailure, ProbeFailure } from "../../../core/base/http/failure.ts";
import { formatCount, formatInteger } from "../../../core/base/text/count.ts";
import { printable } from "../../../core/base/text/quote.ts";
import { parseUrl } from "../../../core/base/text/url.ts";
import { channelTypes } from "../../../core/config/channels.ts";
import { channelOf, failed } from "./channel.ts";
import { renderText } from "./message-text.ts";

const ports = { tls: 465, starttls: 587, none: 25 } as const;

export const email = channelOf(channelTypes.email.options, {
  read: ({ toEnv, userEnv, passwordEnv, ...options }, { secret }) => ({
    ...options,
    receivers: parseReceivers(secret(toEnv), toEnv),
    auth:
      userEnv === undefined || options.security === "none"
        ? undefined
        : { user: secret(userEnv), pass: passwordEnv === undefined ? "" : secret(passwordEnv) },
  }),
  send: async (message, { server, port, security, from, receivers, auth }, context) => {
    const { resolve, secureContext, signal } = context;
    const host = await resolve(server);
    const domain = from.slice(from.lastIndexOf("@") + 1).toLowerCase();
    // Loaded here because other commands don't need it.
    const { createTransport } = await import("nodemailer");
    const transport = createTransport({
      host,
      port: port ?? ports[security],
      secure: security === "tls",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
      // mirrorfeed introduces itself to the server with this name, so that this machine's hostname stays private.
      name: domain,
      tls: { secureContext, minVersion: "TLSv1.2", ...(isIP(server) === 0 && { servername: server }) },
      ...(auth !== undefined && { auth: { user: auth.user, pass: auth.pass }, forceAuth: true }),
      maxResponseSize: 64 * 1024,
      logger: false,
    });
    try {
      const { rejected, rejectedErrors = [] } = await transport.sendMail({
        from: { name: headerText(message.feed.title, 100), address: from },
        to: receivers,
        subject: headerText(message.title, 200),
        text: renderText(message),
        // The id is the same for every attempt, so that mail systems can recognize duplicates.
        messageId: `<${message.id}.mirrorfeed@${domain}>`,
        list: { id: `mirrorfeed.${parseUrl(message.feed.url ?? "")?.hostname ?? domain}` },
        headers: { "Auto-Submitted": "auto-generated" },
        signal,
        disableFileAccess: true,
        disableUrlAccess: true,
      });
      if (rejected.length === 0) return {};
      const codes = [...new Set(rejectedErrors.map((error) => replyCodes(error)))].slice(0, 5).join(", ");
      const count = `${formatInteger(rejected.length)} of ${formatCount(receivers.length, "recipient")}`;
      return { note: `${count} ${rejected.length === 1 ? "was" : "were"} not accepted (${codes}).` };
    } catch (error) {
      signal.throwIfAborted();
      throw emailFailure(error);
    } finally {
      transport.close();
    }
  },
});

const maxReceivers = 50;
const address = z.email().max(254);

/**
 * Returns the distinct addresses in a variable's value. Throws DeliveryFailure, which names the variable but does not
 * quote the value.
 */
function parseReceivers(value: string, variableName: string): string[] {
  const parts = value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const remedy = "write an address such as ops@example.org, or several separated by commas";
  if (parts.length === 0) throw failed(`${variableName} holds no email address; ${remedy}.`);
  const wrong = parts.findIndex((part) => !address.safeParse(part).success);
  if (wrong >= 0) throw failed(`Entry ${wrong + 1} of ${variableName} is not an email address; ${remedy}.`);
  const receivers = [...new Set(parts)];
  if (receivers.length > maxReceivers)
    throw failed(
      `${variableName} holds more than ${maxReceivers} addresses; use a mailing list or another channel.`,
    );
  return receivers;
}

/** Breaks up anything that a mail client would decode as an encoded word (RFC 2047). */
function headerText(text: string, maxLength: number): string {
  return printable(text, maxLength).replaceAll("=?", "= ?");
}

/** The fields of Nodemailer's errors. `originalCode` is the code of the underlying error. */
const smtpError = z.object({
  code: z.string().optional(),
  originalCode: z.string().optional(),
  command: z.string().default(""),
  /** The server's answer, which may repeat addresses. */
  response: z.string().optional(),
  responseCode: z.number().optional(),
});

/** Explains why a mail was not sent, without quoting the server. */
function emailFailure(error: unknown): unknown {
  const parsed = smtpError.safeParse(error);
  if (!parsed.success) return error;
  const { code = "", originalCode, command, response, responseCode = 0 } = parsed.data;
  if (responseCode >= 400 && responseCode <= 599) {
    const subject = subjects[command.replace(/^AUTH.*/, "AUTH")] ?? "the connection";
    return failed(
      `It does not accept ${subject}${responseCode < 500 ? " at the moment" : ""} (${replyCodes(parsed.data)}).`,
    );
  }
  // The server's answer has no error code, so it is not valid SMTP.
  if (code === "EPROTOCOL" || response !== undefined) return failed("Its answer is not valid SMTP.");
  if (code === "ETIMEDOUT") return new ProbeFailure("timeout");
  if (code === "EAUTH") return failed("It offers no authentication method that mirrorfeed supports.");
  if (!["ETLS", "ESOCKET", "ECONNECTION"].includes(code)) return error;
  const cause = Object.assign(new Error("The connection failed."), { code: originalCode });
  return asFailure(cause, code === "ETLS" ? "tls" : "reset");
}

/** What a server rejects by refusing an SMTP command. */
const subjects: Readonly<Record<string, string>> = {
  AUTH: "the user or the password",
  STARTTLS: "STARTTLS",
  "MAIL FROM": "the sender",
  "RCPT TO": "the recipients",
  DATA: "the mail",
};

function replyCodes({
  response = "",
  responseCode,
}: {
  readonly response?: string | undefined;
  readonly responseCode?: number | undefined;
}): string {
  const [, enhanced] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  return ["SMTP", responseCode, enhanced].filter((part) => part !== undefined).join(" ");
}
