import { join } from "node:path";
import { afterAll, beforeAll, vi } from "vitest";
import { cloudflare } from "../../../src/features/hosts/cloudflare.ts";
import type { Engine, EngineSite, StartEngine } from "./engine.ts";
import { areInstalled, loadInstalled } from "./installed-engine.ts";
import { writeServerFiles } from "./web-server.ts";

export const hasCloudflare = areInstalled("wrangler", "miniflare");

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

/**
 * Runs one of mirrorfeed's configurations in the emulator that `wrangler dev` uses, with variables that a real
 * deployment sets too. wrangler's own library reads the configuration. The command `wrangler dev` itself would add a
 * second worker, for browser reloads, and watch every folder of the site.
 */
export async function startInEmulator(site: EngineSite, name: string, variables = {}): Promise<Engine> {
  const wrangler = await loadInstalled<Wrangler>("wrangler", "unstable_getMiniflareWorkerOptions");
  writeServerFiles(cloudflare, site, 0);
  const { workerOptions, main } = wrangler.unstable_getMiniflareWorkerOptions(join(site.scratch, name));
  return startMiniflare({
    ...workerOptions,
    bindings: { ...workerOptions.bindings, ...variables },
    modules: [{ type: "ESModule", path: main }],
    modulesRoot: site.scratch,
  });
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
