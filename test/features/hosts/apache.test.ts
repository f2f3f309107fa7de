import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorPath } from "../../../src/core/contract/contract.ts";
import { apache } from "../../../src/features/hosts/apache.ts";
import { ask } from "../../support/contract/answers.ts";
import { contractCases, feedDocuments, feedFiles, writeFiles } from "../../support/contract/feed.ts";
import { describeEngine, type EngineSite, type StartEngine } from "./engine.ts";
import { describeServer } from "./web-server.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { address, isRoot, startServer } from "../../support/server-process.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const program = findProgram("apache2") ?? "apache2";
const modules = "/usr/lib/apache2/modules";
const needed = "mpm_event authz_core mime dir alias rewrite setenvif negotiation autoindex".split(" ");

/** If a name is too long for a file name, Apache answers before it reads the .htaccess. */
const longNames = contractCases.filter(({ id }) => id.includes("{long}"));
const exceptions = Object.fromEntries(longNames.map(({ id }) => [id, "answered before the .htaccess"]));

describeWith("apache2", findProgram("apache2") !== undefined, "Apache keeps the contract", () => {
  // The first host allows more than the .htaccess needs, including features that could interfere: MultiViews and folder
  // listings.
  const all = "AllowOverride All\nOptions Indexes FollowSymLinks MultiViews";
  const few = "AllowOverride FileInfo\nOptions FollowSymLinks";
  describe.each<[string, Configure]>([
    ["AllowOverride All, in a folder of a larger site", (site, port) => inFolder(site, port, all)],
    ["AllowOverride FileInfo alone, as an alias", (site, port) => asAlias(site, port, few)],
  ])("by .htaccess with %s", (_, configure) => {
    const start = startWith(configure);
    describeEngine(apache, start, { exceptions, ownsBasePath: false });
    describeServer(apache, start, { ownsServer: false });
  });

  test("by .htaccess without mod_headers: the codes, the bodies and their types stay", async () => {
    const folder = temporaryFolder("mirrorfeed-apache-");
    const site: EngineSite = { root: join(folder, "site"), scratch: folder, feed: [], basePath: "" };
    writeFiles(site.root, [...feedFiles, ...apache.siteFiles(site)]);
    const start = startWith((_, port) => documentRoot(site.root, port, "AllowOverride FileInfo"), needed);
    const engine = closeAfterTest(await start(site));
    const known = "/v1/network/alpha/main-tools/t1";
    const answers = [known, `${known}/1/`, `${known}/2`, "/v1/network/x", "/x"].map(async (path) => {
      const { status, headers, body } = await ask(engine.url, path);
      return [status, headers["content-type"], body.toString()];
    });
    const expected = [
      [200, `${known.slice(1)}/index.json`],
      [200, `${known.slice(1)}/1/index.json`],
      [400, errorPath("status")],
      [403, errorPath("system")],
      [404, errorPath("not-found")],
    ] as const;
    expect(await Promise.all(answers)).toEqual(
      expected.map(([status, path]) => [status, "application/json", feedDocuments.get(path)?.toString()]),
    );
    expect((await ask(engine.url, known, { method: "POST" })).status).toBe(405);
  });
});

type Configure = (site: EngineSite, port: number) => string;

function startWith(configure: Configure, loaded = [...needed, "headers", "filter", "deflate"]): StartEngine {
  return (site) =>
    startServer(
      program,
      (port) => {
        // If Apache is started as root, it drops its privileges, but must still be able to read the site.
        chmodSync(site.scratch, 0o755);
        const main = join(site.scratch, "apache2.conf");
        const lines = [
          `ServerRoot "${site.scratch}"`,
          `PidFile "${join(site.scratch, "pid")}"`,
          `ErrorLog "${join(site.scratch, "error.log")}"`,
          "ServerName localhost",
          ...(isRoot ? ["User #65534", "Group #65534"] : []),
          ...loaded.map((name) => `LoadModule ${name}_module ${join(modules, `mod_${name}.so`)}`),
          "TypesConfig /dev/null",
          // As on Debian, Apache itself refuses TRACE and forbidden files, and does not use the site's error documents
          // for that.
          "TraceEnable Off",
          '<Files ".ht*">\nRequire all denied\n</Files>',
          configure(site, port),
        ];
        writeFileSync(main, `${lines.join("\n")}\n`);
        return ["-X", "-f", main];
      },
      site.scratch,
    );
}

function inFolder({ root, scratch, basePath }: EngineSite, port: number, options: string): string {
  const larger = basePath === "" ? root : join(scratch, "larger");
  const folder = join(larger, basePath);
  if (basePath !== "") {
    mkdirSync(dirname(folder), { recursive: true });
    rmSync(folder, { force: true });
    symlinkSync(root, folder);
  }
  return documentRoot(larger, port, options);
}

function asAlias({ root, scratch, basePath }: EngineSite, port: number, options: string): string {
  if (basePath === "") return documentRoot(root, port, options);
  const elsewhere = join(scratch, "elsewhere");
  mkdirSync(elsewhere, { recursive: true });
  const alias = `Alias ${basePath} "${root}"\n${directory(root, options)}`;
  return `${documentRoot(elsewhere, port, options)}\n${alias}`;
}

function documentRoot(folder: string, port: number, options: string): string {
  return [`Listen ${address}:${port}`, `DocumentRoot "${folder}"`, directory(folder, options)].join("\n");
}

function directory(folder: string, options: string): string {
  return `<Directory "${folder}">\n${options}\nRequire all granted\n</Directory>`;
}
