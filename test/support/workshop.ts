import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import type { Ended } from "./tool-feed.ts";

/** A folder of mirrors made with package tools, which get no proxy. */
export class Workshop {
  readonly folder: string;
  protected readonly environment: NodeJS.ProcessEnv;

  constructor(folder: string, environment: NodeJS.ProcessEnv = {}) {
    this.folder = folder;
    this.environment = { ...env, http_proxy: "", no_proxy: "127.0.0.1", LC_ALL: "C.UTF-8", ...environment };
  }

  copy(from: string, to: string): void {
    const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
    cpSync(join(this.folder, from), join(this.folder, to), options);
  }

  /** Runs a tool in a folder. Throws if it fails. */
  protected run(folder: string, program: string, ...parameters: readonly string[]): void {
    const { code, output } = this.attempt(folder, program, ...parameters);
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${output}`);
  }

  protected attempt(folder: string, program: string, ...parameters: readonly string[]): Ended {
    const options = { cwd: folder, env: this.environment, encoding: "utf8" } as const;
    const { error, status, stdout, stderr } = spawnSync(program, parameters, options);
    if (error !== undefined) throw error;
    return { code: status ?? NaN, output: `${stdout}${stderr}` };
  }
}
