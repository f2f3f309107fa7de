import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SendContext } from "../../src/channels/channel.ts";
import { openSender } from "../../src/notify/send.ts";
import { closeAfterTest } from "./close-after-test.ts";
import type { Certificate } from "./certificates.ts";
import { decidedAt } from "./notified.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Returns the context of a channel as a run makes it, until the test ends. */
export async function sendContext({
  environment = {},
  trusted = [],
  allowPrivate = true,
  signal = new AbortController().signal,
}: {
  readonly environment?: Readonly<Record<string, string>>;
  readonly trusted?: readonly Certificate[];
  readonly allowPrivate?: boolean;
  readonly signal?: AbortSignal;
} = {}): Promise<SendContext> {
  const folder = temporaryFolder();
  const ca = trusted.map(({ cert }, index) => {
    const file = join(folder, `${index}.pem`);
    writeFileSync(file, cert);
    return file;
  });
  const sender = closeAfterTest(await openSender(ca, undefined, { environment, now: () => decidedAt }));
  return sender.contextFor({ type: "email", allowPrivate }, signal);
}
