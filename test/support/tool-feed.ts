import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import type { Engine } from "../features/hosts/engine.ts";
import { runFeed, writeFeed } from "./mirror-feed.ts";
import { closeAfterTest } from "./close-after-test.ts";
import { serve } from "./serving.ts";
import { serveFolder } from "./served-folder.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/**
 * Serves a folder as the n-th mirror until the test ends. Each mirror has its own address, because apt gives up an address if
 * one of its ports fails.
 */
export async function startMirror(root: string, place: number): Promise<Engine> {
  const address = `127.0.0.${place + 2}`;
  const server = closeAfterTest(await serveFolder(root, address));
  return { ...server, url: server.url.replace("127.0.0.1", address) };
}

/**
 * Runs a feed with target s/p/t; the first mirror is the primary. Serves its site until the test ends, with the
 * same media type for all files. Returns the URL of the mirror list with this extension. `folder` keeps the state for the next
 * call.
 */
export async function listOf(
  urls: readonly string[],
  probe: object,
  extension: string,
  folder = temporaryFolder("mirrorfeed-feed-"),
): Promise<string> {
  writeFeed(folder, urls, probe);
  await runFeed(folder);
  const { url } = await serve(({ response, path }) => {
    response.setHeader("content-type", "application/octet-stream");
    response.end(readFileSync(join(folder, "_site", path)));
  });
  return `${url}/mirrorlist/s/p/t.${extension}`;
}

export async function textAt(url: string): Promise<string> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  return answer.text();
}

/** A tool's exit code and its output: stdout, then stderr. */
export interface Ended {
  readonly code: number;
  readonly output: string;
}

/** Runs a tool without a proxy. */
export async function runTool(
  tool: string,
  parameters: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<Ended> {
  const own = Object.entries(env).filter(([name]) => !/^(?:https?|all)_proxy$/i.test(name));
  const environment = { ...Object.fromEntries(own), LC_ALL: "C.UTF-8", ...options.env };
  return new Promise((resolve, reject) => {
    execFile(tool, parameters, { ...options, env: environment }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === "number") resolve({ code, output: stdout + stderr });
      else reject(error ?? new Error(`${tool} ended without a code`));
    });
  });
}

export function newFolder(above: string, name: string): string {
  return mkdtempSync(join(above, `${name}-`));
}
