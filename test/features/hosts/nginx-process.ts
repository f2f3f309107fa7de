import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nginx } from "../../../src/features/hosts/nginx.ts";
import type { Engine, EngineSite } from "./engine.ts";
import { findProgram } from "../../support/requirement.ts";
import { isRoot, startServer, writeServerFiles } from "../../support/server-process.ts";

export const hasNginx = findProgram("nginx") !== undefined;

/** Runs nginx with the configuration that mirrorfeed writes for a site. */
export function startNginx(site: EngineSite): Promise<Engine> {
  return startServer(
    findProgram("nginx") ?? "nginx",
    (port) => {
      const [block = ""] = writeServerFiles(nginx, site, port);
      const main = join(site.scratch, "nginx.conf");
      const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
        (name) => `${name}_temp_path "${join(site.scratch, name)}";`,
      );
      writeFileSync(
        main,
        `daemon off; master_process off; pid "${join(site.scratch, "pid")}"; error_log stderr warn; ${isRoot ? "user root;" : ""}
events {}
http { access_log off; ${folders.join(" ")} include "${block}"; }`,
      );
      return ["-e", "stderr", "-c", main];
    },
    site.scratch,
  );
}
