import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Delivery } from "../../../../src/features/notify/channels/channel.ts";
import { email } from "../../../../src/features/notify/channels/email.ts";
import { ProbeFailure } from "../../../../src/core/base/http/failure.ts";
import { certificateFor } from "../../../support/certificates.ts";
import { message, sendContext, type SendingOptions } from "../../../support/sending.ts";
import { cut, silence, startSmtpReplies, type SmtpServer } from "../../../support/smtp-replies.ts";

const environment = { OPS: "ops@example.org", USER: "mirrors", PASSWORD: "geheim-4711" };
const entry = { server: "localhost", security: "none", from: "mirrors@example.org", toEnv: "OPS" };

const starttls = { EHLO: "250-mail\r\n250-STARTTLS\r\n250 AUTH PLAIN" };

const failed = (reason: string) => ({ outcome: "failed", reason });
const late = { ...failed("It did not answer in time."), mayHaveArrived: true };

async function sendTo(
  { port }: Pick<SmtpServer, "port">,
  { options = {}, ...context }: { readonly options?: object } & SendingOptions = {},
): Promise<Delivery> {
  const sending = await sendContext({ environment, ...context });
  return email.send(message(), { ...entry, port, ...options }, sending);
}

describe("mail", () => {
  test("names the sender's domain and not this machine, and no program", async () => {
    const server = await startSmtpReplies({});
    expect(await sendTo(server)).toEqual({ outcome: "sent" });
    expect(server.lines.slice(0, 3)).toEqual([
      "EHLO example.org",
      expect.stringMatching(/^MAIL FROM:<mirrors@example\.org>/),
      "RCPT TO:<ops@example.org>",
    ]);
    const names = server.lines.flatMap((line) => /^([A-Za-z-]+): /.exec(line)?.[1] ?? []);
    expect(names.filter((name) => name.toLowerCase().startsWith("x-"))).toEqual([]);
  });

  test.each<[Parameters<typeof startSmtpReplies>[0], rejected: string]>([
    [{ RCPT: "450 4.2.0 <ops@example.org> is greylisted" }, "recipients at the moment (SMTP 450 4.2.0)"],
    [{ greeting: "421 4.3.2 mail.example.org is busy" }, "connection at the moment (SMTP 421 4.3.2)"],
    [{ greeting: "554 5.7.1 192.0.2.1 is blocked" }, "connection (SMTP 554 5.7.1)"],
    [{ end: "451 4.7.1 later" }, "mail at the moment (SMTP 451 4.7.1)"],
    [{ DATA: "503 5.5.1 bad sequence" }, "mail (SMTP 503 5.5.1)"],
    [{ MAIL: "550 5.7.1 not you" }, "sender (SMTP 550 5.7.1)"],
    [{ RCPT: "550 5.1.1 <ops@example.org> unknown" }, "recipients (SMTP 550 5.1.1)"],
    [{ end: "554 spam" }, "mail (SMTP 554)"],
    [{ MAIL: "552 5.3.4 too large" }, "sender (SMTP 552 5.3.4)"],
  ])("fails if the server says %o", async (replies, rejected) => {
    const delivery = await sendTo(await startSmtpReplies(replies));
    expect(delivery).toEqual(failed(`It does not accept the ${rejected}.`));
  });

  test.each(["greeting", "DATA", "end"])("may have arrived if the server cuts the %s", async (step) => {
    const dropped = { ...failed("It dropped the connection."), mayHaveArrived: true };
    expect(await sendTo(await startSmtpReplies({ [step]: cut }))).toEqual(dropped);
  });

  test("to several receivers says how many were not accepted", async () => {
    const RCPT = ["250 Ok", "550 5.1.1 <two@example.org> unknown", "250 Ok"];
    const OPS = " one@example.org, two@example.org,three@example.org , one@example.org";
    const delivery = await sendTo(await startSmtpReplies({ RCPT }), { environment: { OPS } });
    const note = "1 of 3 recipients was not accepted (SMTP 550 5.1.1).";
    expect(delivery).toEqual({ outcome: "sent", note });
  });

  test("goes to no private address that is not allowed, to no receiver with a newline, and not to a closed port", async () => {
    const server = await startSmtpReplies({});
    const isPrivate = failed("Its address is private; set allowPrivate if that is intended.");
    expect(await sendTo(server, { allowPrivate: false })).toEqual(isPrivate);
    const OPS = "ops@example.org\r\nBcc: all@example.org";
    expect(await sendTo(server, { environment: { OPS } })).toMatchObject({ outcome: "failed" });
    expect(server.lines).toEqual([]);
    expect(await sendTo({ port: 1 })).toEqual(failed("It refused the connection."));
  });
});

describe("an answer that is not SMTP is a failed attempt", () => {
  const answers = {
    "a word": "hello",
    "control characters": "\u0000\u001b[31m\u00ff",
    "a negative number": "-50 no",
    "another code": "650 no",
    "10 MB": "x".repeat(10_000_000),
    "10 MB of one reply": `250-${"x".repeat(10_000_000)}`,
  };
  const steps = ["greeting", "EHLO", "STARTTLS", "AUTH", "MAIL", "RCPT", "DATA", "end"] as const;

  test.each(steps.flatMap((step) => Object.entries(answers).map(([name, answer]) => [step, name, answer])))(
    "after %s: %s",
    async (step, _, answer) => {
      const certificate = await certificateFor("localhost");
      const isSecure = step === "STARTTLS" || step === "AUTH";
      const server = await startSmtpReplies({ ...(isSecure && starttls), [step]: answer }, { certificate });
      const options = isSecure ? { security: "starttls", userEnv: "USER", passwordEnv: "PASSWORD" } : {};
      const delivery = await sendTo(server, { options, trusted: [certificate] });
      expect(delivery).toEqual(failed("Its answer is not valid SMTP."));
    },
  );

  test.each([
    ["nothing", silence],
    ["only newlines", "\r\n\r\n\r\n"],
    ["the first half of a reply", "250-hello"],
  ])("at the deadline: %s", async (_, answer) => {
    for (const step of ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "end"] as const) {
      const server = await startSmtpReplies({ [step]: answer });
      const controller = new AbortController();
      const delivery = sendTo(server, { signal: controller.signal });
      await server.reached(step);
      controller.abort(new ProbeFailure("timeout"));
      expect(await delivery).toEqual(late);
      await server.left;
      expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    }
  });
});

test("a mail server is left at an interrupt, which no outcome hides", async () => {
  const server = await startSmtpReplies({ greeting: silence });
  const controller = new AbortController();
  const delivery = sendTo(server, { signal: controller.signal });
  await server.reached("greeting");
  controller.abort(new Error("interrupted"));
  await expect(delivery).rejects.toThrow("interrupted");
  await server.left;
});

describe("mail over TLS", () => {
  const auth = { userEnv: "USER", passwordEnv: "PASSWORD" };

  const certificates = [
    ["an acceptable", "localhost", {}, true, { outcome: "sent" }],
    ["a self-signed", "localhost", {}, false, failed("Its certificate is self-signed.")],
    ["another host's", "other.example.org", {}, true, failed("Its certificate is for another name.")],
    ["an expired", "localhost", { expired: true }, true, failed("Its certificate has expired.")],
  ] as const;
  const securities = ["tls", "starttls"] as const;

  test.each(securities.flatMap((security) => certificates.map((row) => [security, ...row] as const)))(
    "by %s to a server with %s certificate",
    async (security, _, name, times, isTrusted, expected) => {
      const isImplicit = security === "tls";
      const certificate = await certificateFor(name, times);
      const server = await startSmtpReplies(isImplicit ? {} : starttls, { certificate, isImplicit });
      const trusted = isTrusted ? [certificate] : [];
      expect(await sendTo(server, { options: { security, ...auth }, trusted })).toEqual(expected);
      expect(/AUTH|MAIL/.test(server.lines.join(" "))).toBe(expected.outcome === "sent");
    },
  );

  const refusals = ["502 5.5.1 not here", "454 4.7.0 not now"];
  test.each(refusals)("by starttls is not sent in clear, nor is the password: %s", async (STARTTLS) => {
    const options = { security: "starttls", ...auth };
    const server = await startSmtpReplies({ STARTTLS });
    expect(await sendTo(server, { options })).toMatchObject({ outcome: "failed" });
    expect(server.lines.join(" ")).not.toMatch(/AUTH|MAIL/);
  });

  test("fails if the user or the password is wrong, and if the server asks for none", async () => {
    const certificate = await certificateFor("localhost");
    const options = { security: "tls", ...auth };
    const send = async (replies: Parameters<typeof startSmtpReplies>[0]): Promise<Delivery> => {
      const server = await startSmtpReplies(replies, { certificate, isImplicit: true });
      return sendTo(server, { options, trusted: [certificate] });
    };
    const rejected = failed("It does not accept the user or the password (SMTP 535 5.7.8).");
    expect(await send({ AUTH: "535 5.7.8 geheim-4711 is wrong" })).toEqual(rejected);
    expect(await send({ EHLO: "250 mail", AUTH: "503 5.5.1 no" })).toMatchObject({ outcome: "failed" });
  });

  test("without encryption sends no password", async () => {
    const server = await startSmtpReplies({});
    expect(await sendTo(server, { options: auth })).toEqual({ outcome: "sent" });
    expect(server.lines.join(" ")).not.toContain("AUTH");
  });
});
