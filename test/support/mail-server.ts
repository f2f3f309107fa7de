import { spawn, spawnSync } from "node:child_process";
import { on, once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
import { closeAfterTest } from "./close-after-test.ts";

const python = "/usr/bin/python3";

/** Whether Debian's python3-aiosmtpd is installed. */
export const hasMailServer =
  existsSync(python) && spawnSync(python, ["-c", "import aiosmtpd"], { stdio: "ignore" }).status === 0;

/** A mail that aiosmtpd received, parsed by Python's `email`. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly encrypted: boolean;
  readonly authenticated: boolean;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The addresses in the From header. */
  readonly senders: readonly string[];
  readonly parts: readonly string[];
  readonly text: string;
  readonly defects: readonly string[];
  readonly raw: string;
}

export interface MailServerOptions {
  readonly security: "tls" | "starttls" | "none";
  /** The paths of the certificate and key. */
  readonly cert?: string;
  readonly key?: string;
  readonly user?: string;
  readonly password?: string;
}

/** Starts aiosmtpd on a free loopback port until the test ends. */
export async function startMailServer(
  options: MailServerOptions,
): Promise<{ readonly port: number; readonly received: () => Promise<ReceivedMail> }> {
  const script = fileURLToPath(new URL("mail-server.py", import.meta.url));
  const server = spawn(python, ["-W", "ignore", script, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "close");
  closeAfterTest({
    close: async () => {
      server.kill("SIGTERM");
      await ended;
    },
  });
  const lines = on(createInterface(server.stdout), "line");
  const next = async (): Promise<unknown> => {
    const { value } = await lines.next();
    const [line] = value as [string];
    return JSON.parse(line);
  };
  return { port: Number(await next()), received: async () => (await next()) as ReceivedMail };
}
