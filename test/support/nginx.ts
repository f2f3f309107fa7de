import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../features/hosts/engine.ts";
import { isRoot, startServer } from "./server-process.ts";

/** Runs nginx with this `http` block. The folder is for its files, and `main` for directives outside of the block. */
export function runNginx(
  folder: string,
  http: (port: number) => string,
  main = "events {}",
): Promise<Engine> {
  // nginx creates the temporary folders of all its modules, even of unused ones.
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path "${join(folder, name)}";`,
  );
  const prepare = (port: number): string[] => {
    const file = join(folder, "nginx.conf");
    writeFileSync(
      file,
      `daemon off; master_process off; pid "${join(folder, "pid")}"; error_log stderr crit; ${isRoot ? "user root;" : ""}
${main}
http { access_log off; ${temporary.join(" ")} ${http(port)} }`,
    );
    return ["-e", "stderr", "-c", file];
  };
  return startServer("nginx", prepare, folder);
}
