import * as z from "zod";
import { asFailure, ProbeFailure } from "../base/http/failure.ts";
import type { DeliveryFailure } from "./delivering.ts";
import { failed, refused } from "./delivering.ts";

/** What Nodemailer says of a failure. */
const smtpError = z.object({
  code: z.string().optional(),
  /** The code of the error behind it. */
  originalCode: z.string().optional(),
  /** The command that failed. */
  command: z.string().optional(),
  /** The answer of the server, which may repeat addresses. */
  response: z.string().optional(),
  responseCode: z.number().optional(),
});

type SmtpError = z.infer<typeof smtpError>;

/** Returns why a mail was not sent, without anything that the server wrote. */
export function emailFailure(error: unknown): unknown {
  const parsed = smtpError.safeParse(error);
  if (!parsed.success) return error;
  const { code, originalCode, responseCode } = parsed.data;
  if (responseCode !== undefined) return ofReply(parsed.data, responseCode);
  switch (code) {
    case "ETIMEDOUT":
      return new ProbeFailure("timeout");
    case "ETLS":
    case "ESOCKET":
    case "ECONNECTION":
      return asFailure(
        Object.assign(new Error("The connection failed."), { code: originalCode }),
        code === "ETLS" ? "tls" : "reset",
      );
    case "EPROTOCOL":
      return failed("Its answer is not valid SMTP.");
    case "EAUTH":
      return failed("It offers no way to authenticate that mirrorfeed knows.");
    case undefined:
    default:
      return error;
  }
}

/** Returns the status codes of an answer, without its text. */
export function replyCodes({ response = "", responseCode }: SmtpError): string {
  const enhanced = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
  return ["SMTP", responseCode, enhanced].filter((part) => part !== undefined).join(" ");
}

/** The commands that are about the message. What the server says to others may be another thing for the next machine. */
const aboutMessage = ["MAIL FROM", "RCPT TO", "DATA"];

function ofReply(error: SmtpError, status: number): DeliveryFailure {
  const { command = "" } = error;
  // 503: the commands came in an order that the server did not expect.
  const isForGood = status >= 500 && status !== 503 && aboutMessage.includes(command);
  const subject = command.startsWith("AUTH") ? subjects["AUTH"] : subjects[command];
  const reason = `It does not accept ${subject ?? "the connection"}${status < 500 ? " now" : ""} (${replyCodes(error)}).`;
  return isForGood ? refused(reason) : failed(reason);
}

const subjects: Readonly<Record<string, string | undefined>> = {
  AUTH: "the user or the password",
  STARTTLS: "STARTTLS",
  "MAIL FROM": "the sender",
  "RCPT TO": "the receivers",
  DATA: "the message",
};
