import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { env, execPath } from "node:process";
import { afterAll, beforeAll, vi } from "vitest";
import { cloudflare } from "../../../src/features/hosts/cloudflare.ts";
import { writeServerFiles } from "../../support/server-process.ts";
import type { Engine, EngineSite, StartEngine } from "./engine.ts";
import { areInstalled, enginesFolder, loadInstalled } from "./installed-engine.ts";

export const hasCloudflare = areInstalled("wrangler", "miniflare");

const commandLine = join(enginesFolder, "node_modules/wrangler/wrangler-dist/cli.js");

interface Wrangler {
  readonly unstable_getMiniflareWorkerOptions: (configuration: string) => {
    readonly workerOptions: { readonly bindings?: object };
    readonly main?: string;
  };
  /** Returns the handler that serves a site's files on Pages. */
  readonly unstable_generateASSETSBinding: (options: {
    readonly directory: string;
    readonly log: Console;
    readonly signal: AbortSignal;
  }) => Promise<unknown>;
}

interface Emulator {
  readonly Miniflare: new (options: object) => {
    readonly ready: Promise<URL>;
    readonly dispose: () => Promise<void>;
  };
}

const compatibilityDate = "2026-01-01";

/** Matches the message that wrangler sends when it is ready to serve. */
const ready = /"DEV_SERVER_READY","ip":"([0-9.]+)","port":([0-9]+)/;

/** The variables that the worker reads. A real deployment sets them too. */
type Variables = Readonly<Record<string, string>>;

/** Runs one of mirrorfeed's configurations with `wrangler dev`. */
export function startByCommand(site: EngineSite, name: string, variables: Variables = {}): Promise<Engine> {
  const configuration = writeConfiguration(site, name);
  const given = Object.entries(variables).flatMap(([key, value]) => ["--var", `${key}:${value}`]);
  return startWrangler(site.scratch, ["dev", "--config", configuration, ...given]);
}

/**
 * Runs one of mirrorfeed's configurations in the emulator that `wrangler dev` uses. wrangler's own library reads the
 * configuration. The command `wrangler dev` itself would add a second worker, for browser reloads, and watch every
 * folder of the site.
 */
export async function startInEmulator(
  site: EngineSite,
  name: string,
  variables: Variables = {},
): Promise<Engine> {
  const wrangler = await loadInstalled<Wrangler>("wrangler", "unstable_getMiniflareWorkerOptions");
  const { workerOptions, main } = wrangler.unstable_getMiniflareWorkerOptions(writeConfiguration(site, name));
  return startMiniflare({
    ...workerOptions,
    bindings: { ...workerOptions.bindings, ...variables },
    modules: [{ type: "ESModule", path: main }],
    modulesRoot: site.scratch,
  });
}

export function startPagesByCommand(site: EngineSite): Promise<Engine> {
  return startWrangler(site.scratch, [
    ...["pages", "dev", site.root, "--compatibility-date", compatibilityDate, "--log-level", "error"],
  ]);
}

/**
 * Returns a function that runs a site in the emulator of `wrangler pages dev`. wrangler's own library serves the site's
 * files.
 */
export function usePages(): StartEngine {
  // wrangler's library replaces these globals, so they are restored after the suite.
  beforeAll(() => {
    for (const name of ["fetch", "Headers", "Request", "Response", "HTMLRewriter"] as const)
      vi.stubGlobal(name, Reflect.get(globalThis, name));
  });
  afterAll(() => vi.unstubAllGlobals());
  return async ({ root }) => {
    const wrangler = await loadInstalled<Wrangler>("wrangler", "unstable_generateASSETSBinding");
    const watch = new AbortController();
    const files = { directory: root, log: console, signal: watch.signal };
    const { url, close } = await startMiniflare({
      compatibilityDate,
      serviceBindings: { ASSETS: await wrangler.unstable_generateASSETSBinding(files) },
      modules: [{ type: "ESModule", path: join(root, "_worker.js") }],
      modulesRoot: root,
    });
    return {
      url,
      close: () => {
        watch.abort();
        return close();
      },
    };
  };
}

async function startMiniflare(options: object): Promise<Engine> {
  const { Miniflare } = await loadInstalled<Emulator>("miniflare", "Miniflare");
  const emulator = new Miniflare({
    ...options,
    host: "127.0.0.1",
    port: 0,
    // Otherwise, the emulator would ask the network for this machine's location.
    cf: false,
    logRequests: false,
  });
  const { origin } = await emulator.ready;
  let ending: Promise<void> | undefined;
  return { url: origin, close: () => (ending ??= emulator.dispose()) };
}

/** Writes the files of `mirrorfeed host cloudflare --out`. Returns the path of the file called `name`. */
function writeConfiguration(site: EngineSite, name: string): string {
  writeServerFiles(cloudflare, site, 0);
  return join(site.scratch, name);
}

/** Starts Cloudflare's command line as a process that uses only this folder and loopback. */
async function startWrangler(folder: string, command: readonly string[]): Promise<Engine> {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const options = ["--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0"];
  const child = spawn(execPath, [commandLine, ...command, ...options, "--persist-to", join(home, "state")], {
    cwd: home,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: {
      PATH: env["PATH"],
      HOME: home,
      XDG_CONFIG_HOME: home,
      CI: "1",
      NO_COLOR: "1",
      WRANGLER_LOG: "error",
      WRANGLER_SEND_METRICS: "false",
      WRANGLER_HIDE_BANNER: "true",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      // Turns off the debugger, which would receive every request.
      VSCODE_INSPECTOR_OPTIONS: "{}",
    },
  });
  const exited = once(child, "exit");
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-10_000)));
  const close = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
  };
  // Otherwise a process that never becomes ready would outlive the hook that starts it.
  const patience = setTimeout(() => child.kill("SIGTERM"), 200_000);
  const url = await new Promise<string>((resolve, reject) => {
    child.on("message", (message) => {
      const [, ip, port] = typeof message === "string" ? (ready.exec(message) ?? []) : [];
      if (ip !== undefined && port !== undefined) resolve(`http://${ip}:${port}`);
    });
    child.once("error", reject).once("exit", () => {
      reject(new Error(`wrangler ended: ${said}`));
    });
  });
  clearTimeout(patience);
  return { url, close };
}
