import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { lighttpd } from "../../src/hosts/lighttpd.ts";
import { describeEngine, type Engine, type EngineSite } from "./engine.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import {
  address,
  describeServer,
  describeServerFiles,
  startServer,
  writeServerFiles,
} from "../support/server-process.ts";

const program = findProgram("lighttpd") ?? "lighttpd";

describeServerFiles(lighttpd);

describeWith("lighttpd", findProgram("lighttpd") !== undefined, "lighttpd keeps the contract", () => {
  describeEngine(lighttpd, start);
  describeServer(lighttpd, start, { ownsServer: true });
});

function start(site: EngineSite): Promise<Engine> {
  return startServer(
    program,
    (port) => {
      const [block = ""] = writeServerFiles(lighttpd, site, port);
      const main = join(site.scratch, "lighttpd.conf");
      const lines = [
        `server.bind = "${address}"`,
        `server.port = ${port}`,
        `server.document-root = "${site.scratch}"`,
        // What Debian's own configuration has, and the included one has to change.
        'server.http-parseopts = ( "url-ctrls-reject" => "enable", "url-path-2f-decode" => "enable" )',
        // The cache would show a rebuilt site a second later.
        'server.stat-cache-engine = "disable"',
        `include "${block}"`,
      ];
      writeFileSync(main, `${lines.join("\n")}\n`);
      return ["-D", "-f", main];
    },
    site.scratch,
  );
}
