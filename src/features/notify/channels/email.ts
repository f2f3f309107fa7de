import { isIP } from "node:net";
import * as z from "../../../core/base/zod.ts";
import { asFailure, ProbeFailure } from "../../../core/base/http/failure.ts";
import { formatCount, formatInteger } from "../../../core/base/text/count.ts";
import { printable } from "../../../core/base/text/quote.ts";
import { parseUrl } from "../../../core/base/text/url.ts";
import { channelTypes } from "../../../core/config/channels.ts";
import { channelOf, DeliveryFailure } from "./channel.ts";
import { renderText } from "./message.ts";

const ports = { tls: 465, starttls: 587, none: 25 } as const;

export const email = channelOf(channelTypes.email.options, (options, { secret }) => {
  const { server, port, security, from, toEnv, userEnv, passwordEnv } = options;
  const receivers = parseReceivers(secret(toEnv), toEnv);
  const user = userEnv === undefined || security === "none" ? undefined : secret(userEnv);
  const pass = user === undefined || passwordEnv === undefined ? "" : secret(passwordEnv);
  return async (message, context) => {
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
      ...(user !== undefined && { auth: { user, pass }, forceAuth: true }),
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
  };
});

const addresses = z.array(z.email().max(254)).min(1).max(50);

/** Returns the distinct addresses in the value of a variable. Throws DeliveryFailure, which does not quote the value. */
function parseReceivers(value: string, variableName: string): string[] {
  const parts = value.split(",").map((part) => part.trim());
  const parsed = addresses.safeParse([...new Set(parts.filter((part) => part !== ""))]);
  if (parsed.success) return parsed.data;
  throw new DeliveryFailure(
    `${variableName} does not hold 1 to 50 email addresses; write one such as ops@example.org, or several separated by commas.`,
  );
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
    return new DeliveryFailure(
      `It does not accept ${subject}${responseCode < 500 ? " at the moment" : ""} (${replyCodes(parsed.data)}).`,
    );
  }
  // The server's answer has no error code, so it is not valid SMTP.
  if (code === "EPROTOCOL" || response !== undefined)
    return new DeliveryFailure("Its answer is not valid SMTP.");
  if (code === "ETIMEDOUT") return new ProbeFailure("timeout");
  if (code === "EAUTH")
    return new DeliveryFailure("It offers no authentication method that mirrorfeed supports.");
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

function replyCodes({ response = "", responseCode }: z.input<typeof smtpError>): string {
  const [, enhanced] = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response) ?? [];
  return ["SMTP", responseCode, enhanced].filter((part) => part !== undefined).join(" ");
}
