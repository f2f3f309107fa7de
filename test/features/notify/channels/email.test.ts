import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import type { Delivery } from "../../../../src/features/notify/channels/channel.ts";
import { email } from "../../../../src/features/notify/channels/email.ts";
import { ProbeFailure } from "../../../../src/core/base/http/failure.ts";
import { certificateFor } from "../../../support/certificates.ts";
import { message, sendContext } from "../../../support/sending.ts";
import { cut, silence, startSmtpReplies, type SmtpServer } from "../../../support/smtp-replies.ts";

const environment = { OPS: "ops@example.org", USER: "mirrors", PASSWORD: "geheim-4711" };
const entry = { server: "localhost", security: "none", from: "mirrors@example.org", toEnv: "OPS" };

const starttls = { EHLO: "250-mail\r\n250-STARTTLS\r\n250 AUTH PLAIN" };

const late = { outcome: "failed", reason: "It did not answer in time.", mayHaveArrived: true };

async function sendTo(
  { port }: Pick<SmtpServer, "port">,
  { options = {}, ...context }: { readonly options?: object } & Parameters<typeof sendContext>[0] = {},
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
    const reason = `It does not accept the ${rejected}.`;
    expect(await sendTo(await startSmtpReplies(replies))).toEqual({ outcome: "failed", reason });
  });

  test.each(["greeting", "DATA", "end"])("may have arrived if the server cuts the %s", async (step) => {
    const dropped = { outcome: "failed", reason: "It dropped the connection.", mayHaveArrived: true };
    expect(await sendTo(await startSmtpReplies({ [step]: cut }))).toEqual(dropped);
  });

  test("to several receivers says how many were not accepted", async () => {
    const server = await startSmtpReplies({
      RCPT: ["250 Ok", "550 5.1.1 <two@example.org> unknown", "250 Ok"],
    });
    const several = {
      ...environment,
      OPS: " one@example.org, two@example.org,three@example.org , one@example.org",
    };
    expect(await sendTo(server, { environment: several })).toEqual({
      outcome: "sent",
      note: "1 of 3 recipients was not accepted (SMTP 550 5.1.1).",
    });
  });

  test("goes to no private address that is not allowed, to no receiver with a newline, and not to a closed port", async () => {
    const server = await startSmtpReplies({});
    expect(await sendTo(server, { allowPrivate: false })).toEqual({
      outcome: "failed",
      reason: "Its address is private; set allowPrivate if that is intended.",
    });
    const OPS = "ops@example.org\r\nBcc: all@example.org";
    expect(await sendTo(server, { environment: { OPS } })).toMatchObject({ outcome: "failed" });
    expect(server.lines).toEqual([]);
    expect(await sendTo({ port: 1 })).toEqual({ outcome: "failed", reason: "It refused the connection." });
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
  const invalid = { outcome: "failed", reason: "Its answer is not valid SMTP." };

  test.each(steps.flatMap((step) => Object.entries(answers).map(([name, answer]) => [step, name, answer])))(
    "after %s: %s",
    async (step, _, answer) => {
      const certificate = await certificateFor("localhost");
      const isSecure = step === "STARTTLS" || step === "AUTH";
      const server = await startSmtpReplies({ ...(isSecure && starttls), [step]: answer }, { certificate });
      const options = isSecure ? { security: "starttls", userEnv: "USER", passwordEnv: "PASSWORD" } : {};
      expect(await sendTo(server, { options, trusted: [certificate] })).toEqual(invalid);
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

  test.each(["tls", "starttls"] as const)(
    "by %s is sent only to a server with an acceptable certificate",
    async (security) => {
      const isImplicit = security === "tls";
      const options = { security, ...auth };
      const right = await certificateFor("localhost");
      const replies = isImplicit ? {} : starttls;
      const server = await startSmtpReplies(replies, { certificate: right, isImplicit });
      expect(await sendTo(server, { options, trusted: [right] })).toEqual({ outcome: "sent" });

      for (const [certificate, isTrusted, reason] of [
        [right, false, "Its certificate is self-signed."],
        [await certificateFor("other.example.org"), true, "Its certificate is for another name."],
        [await certificateFor("localhost", { expired: true }), true, "Its certificate has expired."],
      ] as const) {
        const wrong = await startSmtpReplies(replies, { certificate, isImplicit });
        const delivery = await sendTo(wrong, { options, trusted: isTrusted ? [certificate] : [] });
        expect(delivery).toEqual({ outcome: "failed", reason });
        expect(wrong.lines.join(" ")).not.toMatch(/AUTH|MAIL/);
      }
    },
  );

  test("by starttls is not sent in clear, nor is the password", async () => {
    const options = { security: "starttls", ...auth };
    for (const STARTTLS of ["502 5.5.1 not here", "454 4.7.0 not now"]) {
      const server = await startSmtpReplies({ STARTTLS });
      expect(await sendTo(server, { options })).toMatchObject({ outcome: "failed" });
      expect(server.lines.join(" ")).not.toMatch(/AUTH|MAIL/);
    }
  });

  test("fails if the user or the password is wrong, and if the server asks for none", async () => {
    const certificate = await certificateFor("localhost");
    const options = { security: "tls", ...auth };
    const send = async (replies: Parameters<typeof startSmtpReplies>[0]): Promise<Delivery> => {
      const server = await startSmtpReplies(replies, { certificate, isImplicit: true });
      return sendTo(server, { options, trusted: [certificate] });
    };
    expect(await send({ AUTH: "535 5.7.8 geheim-4711 is wrong" })).toEqual({
      outcome: "failed",
      reason: "It does not accept the user or the password (SMTP 535 5.7.8).",
    });
    const without = await send({ EHLO: "250 mail", AUTH: "503 5.5.1 no" });
    expect(without).toMatchObject({ outcome: "failed" });
  });

  test("without encryption sends no password", async () => {
    const server = await startSmtpReplies({});
    expect(await sendTo(server, { options: auth })).toEqual({ outcome: "sent" });
    expect(server.lines.join(" ")).not.toContain("AUTH");
  });
});
