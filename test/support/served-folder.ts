import type { Engine } from "../features/hosts/engine.ts";
import { runNginx } from "./nginx.ts";
import { findProgram } from "./requirement.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const hasFolderServer = findProgram("nginx") !== undefined;

/**
 * Serves a folder with nginx, optionally at a second address. Below `/parked/` every path gets a page, like on a parked
 * domain.
 */
export function serveFolder(root: string, address?: string): Promise<Engine> {
  return runNginx(
    temporaryFolder(),
    (port) => `server {
  listen 127.0.0.1:${port};${address === undefined ? "" : ` listen ${address}:${port};`}
  root "${root}";
  location /parked/ { default_type text/html; return 200 "<title>This domain is for sale</title>"; }
}`,
  );
}
