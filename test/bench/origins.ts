import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "../support/loopback.ts";
import { advertise, mediaType, numberedRefs } from "../support/advertisement.ts";
import { certificateFor } from "../support/certificates.ts";
import { runNginx } from "../support/nginx.ts";
import { isOpen } from "../support/server-process.ts";
import type { OddPorts } from "./origin-process.ts";

/** Ports of a benchmark's mirrors. Each server listens on every address of 127.0.0.0/8. */
export interface Origins extends OddPorts {
  /** nginx, without and with TLS: `/good/`, `/gone/` (404) and `/moved/` (301 to `/good/`). */
  readonly plain: number;
  readonly tls: number;
  /** Nothing listens here. */
  readonly refused: number;
  /** File with the self-signed certificate of `*.mirror.test`. */
  readonly certificate: string;
  readonly close: () => Promise<void>;
}

/** Starts the origins in two separate processes. Throws if nginx does not start. */
export async function startOrigins(folder: string): Promise<Origins> {
  const [tls, refused] = await Promise.all([freePort(), freePort()]);
  const certificate = join(folder, "certificate.pem");
  const { cert, key } = await certificateFor("*.mirror.test");
  await Promise.all([
    writeFile(certificate, cert),
    writeFile(join(folder, "key.pem"), key),
    mkdir(join(folder, "good")),
  ]);
  await writeFile(join(folder, "good", "refs"), advertise(numberedRefs(8)), "latin1");
  const main = "worker_rlimit_nofile 20000; events { worker_connections 16000; }";
  const nginx = await runNginx(folder, (plain) => nginxConfiguration(plain, tls, folder), main);
  const odd = spawn(process.execPath, [join(import.meta.dirname, "origin-process.mjs")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(odd.stdout, "data")) as [Buffer];
  return {
    ...(JSON.parse(line.toString()) as OddPorts),
    plain: Number(new URL(nginx.url).port),
    tls,
    refused,
    certificate,
    close: async () => {
      await Promise.all([nginx.close(), end(odd)]);
    },
  };
}

function nginxConfiguration(plain: number, tls: number, folder: string): string {
  const server = `
    location /good/ { types { } default_type ${mediaType}; root ${folder}; try_files /good/refs =404; }
    location /gone/ { return 404; }
    location /moved/ { rewrite ^/moved/(.*)$ /good/$1 permanent; }`;
  return `open_file_cache max=8; keepalive_timeout 15s;
  server { listen 0.0.0.0:${plain} backlog=4096; ${server} }
  server { listen 0.0.0.0:${tls} ssl backlog=4096;
    ssl_certificate ${folder}/certificate.pem; ssl_certificate_key ${folder}/key.pem; ${server} }`;
}

/** Waits until something listens on a port. Throws if nothing does within ten seconds. */
export async function untilOpen(port: number): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (Date.now() < deadline) {
    if (await isOpen(port)) return;
    await delay(20);
  }
  throw new Error(`Nothing listens on port ${port}.`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/**
 * Returns the URLs of this many mirrors, each at a different address. With `mixed`, 10 % answer 404, 6 % redirect, 3 % refuse
 * connections and 1 % are slow. With `silent`, 5 % never answer. All others are good.
 */
export function mirrorUrls(count: number, mix: "good" | "mixed" | "silent", origins: Origins): string[] {
  const { plain, refused, silent, slow } = origins;
  const portAndPath = (part: number): [number, string] => {
    if (mix === "silent") return [part % 20 === 0 ? silent : plain, "good"];
    if (mix === "good" || part < 80) return [plain, "good"];
    if (part < 90) return [plain, "gone"];
    if (part < 96) return [plain, "moved"];
    return [part < 99 ? refused : slow, "good"];
  };
  return Array.from({ length: count }, (_, index) => {
    const [port, path] = portAndPath(index % 100);
    return `http://127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}:${port}/${path}/joomla/packages`;
  });
}
