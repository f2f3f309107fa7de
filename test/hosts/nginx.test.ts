import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { nginx } from "../../src/hosts/nginx.ts";
import { describeEngine, type Engine, type EngineSite } from "./engine.ts";
import { describeWith, findProgram } from "./requirement.ts";
import {
  describeServer,
  describeServerFiles,
  isRoot,
  startServer,
  writeServerFiles,
} from "./server-process.ts";

const program = findProgram("nginx") ?? "nginx";

describeServerFiles(nginx);

describeWith("nginx", findProgram("nginx") !== undefined, "nginx keeps the contract", () => {
  describeEngine(nginx, start);
  describeServer(nginx, start, { ownsServer: true });
});

function start(site: EngineSite): Promise<Engine> {
  return startServer(
    program,
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
