import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { advertisement } from "../support/advertisement.ts";
import { loadDocument, textsBelow } from "../support/document.ts";
import { startTestbed } from "../support/start-testbed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const repository = join(import.meta.dirname, "../..");
const guide = loadDocument(".github/docs/self-hosting.md");

const testbed = await startTestbed();
test("the commands of the guide install a program that its systemd units start", async () => {
  const prefix = temporaryFolder("mirrorfeed-installed-");
  const checkout = join(prefix, "checkout");
  for (const folder of ["bin", "checkout", "etc/mirrorfeed", "etc/nginx/conf.d", "opt"])
    mkdirSync(join(prefix, folder), { recursive: true });
  // `npm test` has already built the program, so here `npm ci` does nothing. Neither does `useradd`.
  const pack = `npm pack --ignore-scripts --silent --pack-destination "${checkout}" "${repository}"`;
  script("npm", `[ "$1" = ci ] || PATH="${env["PATH"] ?? ""}" exec ${pack}`);
  script("useradd", "exit 0");
  const mirror = await testbed.startServer(advertisement());
  writeFileSync(join(prefix, "etc/mirrorfeed/mirrors.json"), JSON.stringify(configOf(`${mirror.url}/s/t`)));
  await shell(...blocks("With systemd", "sh"));
  const [, entry = ""] =
    /^ENTRYPOINT \["node", "\/app\/(.*)"\]$/m.exec(only("With Kubernetes", "dockerfile")) ?? [];
  expect(existsSync(join(prefix, "opt/mirrorfeed", entry)), "ENTRYPOINT").toBe(true);

  const unit = only("With systemd", "ini");
  const [node, ...parameters] = context(unit, "ExecStart").split(" ").map(below);
  expect(node).toBe("/usr/bin/node");
  const service = spawn(execPath, parameters, {
    cwd: below(context(unit, "WorkingDirectory")),
    stdio: "pipe",
  });
  const ended = once(service, "close");
  let output = "";
  for (const stream of [service.stdout, service.stderr])
    stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const document = join(prefix, "var/lib/mirrorfeed/site/v1/network/s/p/t/index.json");
  const deadline = Date.now() + 20_000;
  while (!existsSync(document) && service.exitCode === null && Date.now() < deadline) await delay(50);
  service.kill("SIGTERM");
  await ended;
  expect(existsSync(document), output).toBe(true);
  expect(output).toMatch(/^\d{4}-\S+Z 1 mirror: 1 online\.$/m);

  const line = /^\*\/5 \* \* \* \* mirrorfeed (.*)\n$/.exec(only("With cron", "crontab"))?.[1] ?? "";
  await shell(line);
  // A quiet run prints nothing.
  expect(readFileSync(join(prefix, "var/lib/mirrorfeed/log"), "utf8")).toBe("");

  await shell(...blocks("The web server", "sh"), ...blocks("Back up the state", "sh"));
  const server = readFileSync(join(prefix, "etc/nginx/conf.d/mirrorfeed.conf"), "utf8");
  expect(server).toContain(join(prefix, "var/lib/mirrorfeed/site"));
  const [saved, stored] = ["etc/mirrorfeed/state-backup.json", "var/lib/mirrorfeed/state.json"];
  expect(readFileSync(join(prefix, saved))).toEqual(readFileSync(join(prefix, stored)));

  await shell(...blocks("Send notifications", "sh"));
  const sending = blocks("Send notifications", "ini").find((one) => one.includes("cli.js notify")) ?? "";
  expect(existsSync(below(context(sending, "EnvironmentFile")))).toBe(true);
  const [, ...sendingParameters] = context(sending, "ExecStart").split(" ").map(below);
  const sent = execFileSync(execPath, sendingParameters, {
    cwd: below(context(sending, "WorkingDirectory")),
    encoding: "utf8",
  });
  expect(sent).toBe("Nothing to send.\n");

  function script(name: string, body: string): void {
    writeFileSync(join(prefix, "bin", name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  }
  async function shell(...commands: string[]): Promise<void> {
    const program = commands
      .map(below)
      .join("")
      .replaceAll(/(?:\/usr\/bin\/|\b)node(?= \/)/g, execPath);
    await promisify(execFile)("/bin/sh", ["-ec", program], {
      cwd: checkout,
      env: { ...env, PATH: `${join(prefix, "bin")}:${env["PATH"] ?? ""}` },
    });
  }
  function below(text: string): string {
    return text.replaceAll(/(?<![\w.])\/(?=(?:etc|opt|var)\/)/g, `${prefix}/`);
  }
});

function configOf(url: string): object {
  const targets = [{ target: "t", network: [{ id: 1, url }] }];
  const channels = { ops: { type: "webhook", urlEnv: "OPS_HOOK" } };
  return {
    probe: { allowPrivate: true },
    channels,
    systems: [{ system: "s", projects: [{ project: "p", targets }] }],
  };
}

function blocks(heading: string, language: string): string[] {
  return textsBelow(guide, heading, language);
}

function only(heading: string, language: string): string {
  const [first = "", ...others] = blocks(heading, language);
  expect(others, heading).toEqual([]);
  return first;
}

function context(unit: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";
}
