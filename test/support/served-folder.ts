import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../features/hosts/engine.ts";
import { findProgram } from "./requirement.ts";
import { isRoot, startServer } from "./server-process.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const hasFolderServer = findProgram("nginx") !== undefined;

/**
 * Serves a folder with nginx, optionally at a second address. Below `/parked/` every path gets a page, like on a parked
 * domain.
 */
export function serveFolder(root: string, address?: string): Promise<Engine> {
  const folder = temporaryFolder();
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path "${join(folder, name)}";`,
  );
  return startServer(
    findProgram("nginx") ?? "nginx",
    (port) => {
      const file = join(folder, "nginx.conf");
      writeFileSync(
        file,
        `daemon off; master_process off; pid "${join(folder, "pid")}"; error_log stderr crit; ${isRoot ? "user root;" : ""}
events {}
http {
  access_log off; ${temporary.join(" ")}
  server {
    listen 127.0.0.1:${port};${address === undefined ? "" : ` listen ${address}:${port};`}
    root "${root}";
    location /parked/ { default_type text/html; return 200 "<title>This domain is for sale</title>"; }
  }
}`,
      );
      return ["-e", "stderr", "-c", file];
    },
    folder,
  );
}
