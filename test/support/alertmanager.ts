import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findProgram } from "./requirement.ts";
import { startServer } from "./server-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Alertmanager of Debian; undefined if it is not installed. */
export const alertmanagerProgram = findProgram("prometheus-alertmanager");

/** The password of the user `mirrors`, and its bcrypt hash. */
export const password = "correct horse battery";
const hash = "$2y$04$pAD4JnRPjSiizexvjdwd/eCQ36pj5w23gsr.UNkE/cq4sjENtkrHC";

/**
 * Starts Alertmanager with a configuration that passes each alert on to a webhook at once, and that forgets after 100 ms
 * what has no end of its own. Returns its URL. It ends with the test.
 */
export async function startAlertmanager(webhook: string, { asksForPassword = false } = {}): Promise<string> {
  const folder = temporaryFolder("mirrorfeed-alertmanager-");
  const [config, web] = [join(folder, "alertmanager.json"), join(folder, "web.json")];
  const route = { receiver: "test", group_by: ["..."], group_wait: "1ms", group_interval: "1ms" };
  const receivers = [{ name: "test", webhook_configs: [{ url: webhook }] }];
  // JSON is YAML too.
  writeFileSync(config, JSON.stringify({ global: { resolve_timeout: "100ms" }, route, receivers }));
  writeFileSync(web, JSON.stringify(asksForPassword ? { basic_auth_users: { mirrors: hash } } : {}));
  const { url, close } = await startServer(
    alertmanagerProgram ?? "prometheus-alertmanager",
    (port) => [
      `--config.file=${config}`,
      `--web.config.file=${web}`,
      `--storage.path=${join(folder, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--cluster.listen-address=",
    ],
    folder,
  );
  onTestFinished(async () => {
    await close();
  });
  return url;
}
