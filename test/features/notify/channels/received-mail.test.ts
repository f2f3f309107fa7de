import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { email } from "../../../../src/features/notify/channels/email.ts";
import type { Message } from "../../../../src/features/notify/channels/message.ts";
import { certificateFor } from "../../../support/certificates.ts";
import { mirrorsJson } from "../../../support/mirrors-json.ts";
import { endMessage, message, sendContext } from "../../../support/sending.ts";
import { hasMailServer, type ReceivedMail, startMailServer } from "../../../support/mail-server.ts";
import { composed, notifyConfig, notifyState, timeout } from "../../../support/notified-feed.ts";
import { describeWith } from "../../../support/requirement.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

const down = notifyState({ 1: timeout, 2: {}, 3: {} });
const user = { user: "mirrors", password: "pass word é" };
const environment = { OPS: "ops@example.org, second@example.org", USER: user.user, PASSWORD: user.password };
const variables = { toEnv: "OPS", userEnv: "USER", passwordEnv: "PASSWORD" };
const entry = { server: "localhost", from: "mirrors@example.org", ...variables };

function headers(mail: ReceivedMail, name: string): string[] {
  return mail.headers.filter(([one]) => one === name).map(([, value]) => value);
}

/** Sends messages to aiosmtpd, and returns them as received. */
async function receive(
  messages: readonly Message[],
  security: "tls" | "starttls" | "none" = "none",
): Promise<ReceivedMail[]> {
  const certificate = await certificateFor("localhost");
  const folder = temporaryFolder();
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(cert, certificate.cert);
  writeFileSync(key, certificate.key);
  const secured = security === "none" ? {} : { cert, key, ...user };
  const server = await startMailServer({ security, ...secured });
  const context = await sendContext({ environment, trusted: [certificate] });
  const received: ReceivedMail[] = [];
  for (const one of messages) {
    const delivery = await email.send(one, { ...entry, security, port: server.port }, context);
    expect(delivery).toEqual({ outcome: "sent" });
    received.push(await server.received());
  }
  return received;
}

describeWith("aiosmtpd of Debian", hasMailServer, "mail that a server received", () => {
  const [begin, end] = [message(), endMessage()];

  test.each(["tls", "starttls"] as const)(
    "came encrypted by %s and authenticated, as text",
    async (security) => {
      const [mail] = await receive([begin], security);
      expect(mail).toMatchObject({
        ...{ from: "mirrors@example.org", to: ["ops@example.org", "second@example.org"] },
        ...{ encrypted: true, authenticated: true, parts: ["text/plain"], defects: [] },
      });
      expect(mail?.text).toContain("mirrorfeed probe https://git.example.org/a/one --explain");
      expect(mail?.raw).not.toContain(user.password);
    },
  );

  test("has the same id in each attempt, and asks for no answer", async () => {
    const [first, again, last] = await receive([begin, begin, end]);
    if (first === undefined || again === undefined || last === undefined) throw new Error("three mails came");
    expect(headers(first, "subject")).toEqual(["git.example.org/a/one is offline"]);
    expect(headers(last, "subject")).toEqual(["git.example.org/a/one is back after 3 hours"]);
    expect(headers(first, "message-id")).toEqual([`<${begin.id}.mirrorfeed@example.org>`]);
    expect(headers(again, "message-id")).toEqual(headers(first, "message-id"));
    expect(headers(last, "message-id")).toEqual([`<${end.id}.mirrorfeed@example.org>`]);
    for (const mail of [first, last]) {
      expect(headers(mail, "auto-submitted")).toEqual(["auto-generated"]);
      expect(headers(mail, "list-id")).toEqual(["<mirrorfeed.status.example.org>"]);
      expect(headers(mail, "from")).toEqual(["Mirrors of example <mirrors@example.org>"]);
    }
  });

  const expectedHeaders =
    "auto-submitted content-transfer-encoding content-type date from list-id message-id mime-version subject to";
  const hostile = [
    "<script>alert(1)</script>&lt;<img src=https://evil.example/x>",
    `"><a href="https://evil.example/">'`,
    "=?utf-8?B?U3ViamVjdDogeA==?= =?utf-8?q?x?=",
    'name, <all@evil.example>; "quoted" \\ (comment)',
    "🪞 مرآة שלום ミラー é",
    "x".repeat(200),
    "ü".repeat(200),
    "{{7*7}} ${7*7} %s %0d%0aBcc: all@evil.example",
    "@everyone #1 ::error:: ##[error]",
  ];

  test("shows hostile names as they are, in the subject and the text, and obeys none", async () => {
    const messages = hostile.map((name) => {
      const network = [{ id: 1, url: "https://git.example.org/a", name }];
      const site = { title: name, url: "https://status.example.org" };
      const config = notifyConfig(mirrorsJson(network, { site }));
      return composed([{ event: "offline", nodes: [1] }], { state: down, config });
    });
    const received = await receive(messages);
    received.forEach((mail, index) => {
      const { title = "" } = messages[index] ?? {};
      expect(mail.defects).toEqual([]);
      expect(headers(mail, "subject")).toEqual([title.replaceAll("=?", "= ?")]);
      expect(mail.text.replaceAll(/\s+/g, " ")).toContain(title.replaceAll(/\s+/g, " "));
      expect(mail.to).toEqual(["ops@example.org", "second@example.org"]);
      const names = mail.headers.map(([one]) => one);
      expect(names.toSorted().join(" ")).toBe(expectedHeaders);
      expect(mail.senders).toEqual(["mirrors@example.org"]);
      // The limit of RFC 5322, 2.1.1.
      for (const line of mail.raw.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
    });
  });
});
