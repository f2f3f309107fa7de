import { nginx } from "../../../src/features/hosts/nginx.ts";
import { runNginx } from "../../support/nginx.ts";
import { findProgram } from "../../support/requirement.ts";
import type { Engine, EngineSite } from "./engine.ts";
import { writeServerFiles } from "./web-server.ts";

export const hasNginx = findProgram("nginx") !== undefined;

/** Runs nginx with the configuration that mirrorfeed writes for a site. */
export function startNginx(site: EngineSite): Promise<Engine> {
  return runNginx(site.scratch, (port) => `include "${writeServerFiles(nginx, site, port)[0] ?? ""}";`);
}
