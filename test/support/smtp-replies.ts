import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { Certificate } from "./certificates.ts";
import { closeAfterTest } from "./close-after-test.ts";
import { listenOnLoopback } from "./loopback.ts";

/** What a server does at a step: answer, stay silent, or close the connection. */
export type SmtpReply = string | typeof silence | typeof cut;

export const silence = Symbol("silence");
export const cut = Symbol("cut");

export type SmtpStep = "greeting" | "EHLO" | "STARTTLS" | "AUTH" | "MAIL" | "RCPT" | "DATA" | "end";

const usual: Readonly<Record<SmtpStep, SmtpReply>> = {
  greeting: "220 mail.example.org ESMTP",
  EHLO: "250-mail.example.org\r\n250-PIPELINING\r\n250-AUTH PLAIN LOGIN\r\n250 SIZE 1000000",
  STARTTLS: "220 2.0.0 Ready",
  AUTH: "235 2.7.0 Welcome",
  MAIL: "250 2.1.0 Ok",
  RCPT: "250 2.1.5 Ok",
  DATA: "354 Go on",
  end: "250 2.0.0 Ok",
};

export type SmtpServer = Awaited<ReturnType<typeof startSmtpReplies>>;

/** Starts a raw SMTP server on a free loopback port until the test ends. */
export async function startSmtpReplies(
  replies: Partial<Record<SmtpStep, SmtpReply | readonly SmtpReply[]>>,
  {
    certificate,
    isImplicit = false,
  }: { readonly certificate?: Certificate; readonly isImplicit?: boolean } = {},
) {
  /** All received lines: commands and mails. */
  const lines: string[] = [];
  const events = new EventTarget();
  const seen = new Set<string>();
  const counts = new Map<SmtpStep, number>();
  let leave: (value: unknown) => void = () => undefined;
  const left = new Promise((resolve) => (leave = resolve));

  const replyTo = (step: SmtpStep): SmtpReply => {
    const index = counts.get(step) ?? 0;
    counts.set(step, index + 1);
    seen.add(step);
    events.dispatchEvent(new Event(step));
    const given = replies[step] ?? usual[step];
    const all: readonly SmtpReply[] = isReply(given) ? [given] : given;
    return all[Math.min(index, all.length - 1)] ?? usual[step];
  };

  const serve = (socket: Socket, greets: boolean): void => {
    let isData = false;
    let rest = "";
    const answer = (step: SmtpStep): void => {
      const reply = replyTo(step);
      if (reply === cut) socket.destroy();
      else if (typeof reply === "string") socket.write(`${reply}\r\n`);
      if (typeof reply !== "string" || !/^[23]/.test(reply)) return;
      if (step === "DATA") isData = true;
      if (step === "STARTTLS" && certificate !== undefined) {
        socket.removeAllListeners("data");
        serve(secure(socket, certificate), false);
      }
    };
    const onLine = (line: string): void => {
      lines.push(line);
      if (isData) {
        if (line !== ".") return;
        isData = false;
        answer("end");
        return;
      }
      const command = line.split(" ", 1)[0] ?? "";
      if (command === "QUIT") socket.end("221 Bye\r\n");
      else if (command === "RSET") socket.write("250 Ok\r\n");
      else answer(isStep(command) ? command : "EHLO");
    };
    socket.on("error", () => undefined);
    socket.on("data", (chunk: Buffer) => {
      rest += chunk.toString("latin1");
      for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        onLine(line);
      }
    });
    if (greets) answer("greeting");
  };

  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("close", leave);
    serve(isImplicit && certificate !== undefined ? secure(socket, certificate) : socket, true);
  });
  const { port } = closeAfterTest(await listenOnLoopback(server));
  return {
    port,
    lines,
    /** Resolves when the client has closed a connection. */
    left,
    reached: async (step: SmtpStep): Promise<void> => {
      if (!seen.has(step)) await once(events, step);
    },
  };
}

function isReply(given: SmtpReply | readonly SmtpReply[]): given is SmtpReply {
  return typeof given === "string" || typeof given === "symbol";
}

function secure(socket: Socket, certificate: Certificate): TLSSocket {
  return new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) });
}

function isStep(command: string): command is SmtpStep {
  return Object.hasOwn(usual, command);
}
