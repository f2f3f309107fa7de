import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { caddy } from "../../../src/features/hosts/caddy.ts";
import { describeEngine, type Engine, type EngineSite } from "./engine.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { startServer } from "../../support/server-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { describeServer, describeServerFiles, writeServerFiles } from "./web-server.ts";

const program = findProgram("caddy") ?? "caddy";

describeServerFiles(caddy);

describeWith("caddy", findProgram("caddy") !== undefined, "Caddy keeps the contract", () => {
  describeEngine(caddy, start);
  describeServer(caddy, start, { ownsServer: true });

  test("Caddy gets a certificate if a site's name replaces the port", () => {
    const folder = temporaryFolder("mirrorfeed-caddy-");
    const [block = ""] = writeServerFiles(caddy, { ...site, scratch: folder }, 8080);
    const named = readFileSync(block, "utf8").replace(/^http:\/\/:8080/m, "status.example.org");
    writeFileSync(block, named.replace(/^\tbind .*$/m, ""));
    const adapted = execFileSync(program, ["adapt", "--config", block, "--adapter", "caddyfile"]).toString();
    expect(adapted).toContain('"listen":[":443"]');
    expect(adapted).not.toContain("automatic_https");
  });
});

const site: EngineSite = { root: "/srv/site", scratch: "", feed: [], basePath: "" };

function start(site: EngineSite): Promise<Engine> {
  return startServer(
    program,
    (port) => {
      const [block = ""] = writeServerFiles(caddy, site, port);
      const main = join(site.scratch, "Caddyfile");
      writeFileSync(main, `{\n\tadmin off\n}\nimport "${block}"\n`);
      return ["run", "--config", main, "--adapter", "caddyfile"];
    },
    site.scratch,
  );
}
