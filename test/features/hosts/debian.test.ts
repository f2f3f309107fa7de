import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { errorPath } from "../../../src/core/contract/contract.ts";
import { caddy } from "../../../src/features/hosts/caddy.ts";
import type { Host } from "../../../src/features/hosts/host.ts";
import { nginx } from "../../../src/features/hosts/nginx.ts";
import { ask } from "../../support/contract/answers.ts";
import { feedConfig, feedDocuments, feedFiles, writeFiles } from "../../support/contract/feed.ts";
import { pageFiles } from "../../support/contract/pages.ts";
import type { Engine } from "./engine.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { startServer } from "../../support/server-process.ts";
import { openShellCommand } from "../../support/shell-command.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** A web server from Debian: its program, which is also its folder below /etc, and the parameters of its service. */
interface Package {
  readonly host: Host;
  readonly program: string;
  readonly run: (prefix: string) => readonly string[];
  /** Makes changes that only this test needs, after the documented steps. */
  readonly adapt?: (prefix: string) => void;
}

const packages: readonly Package[] = [
  {
    host: nginx,
    program: "nginx",
    run: (prefix) => ["-e", "stderr", "-c", join(prefix, "etc/nginx/nginx.conf"), "-g", "daemon off;"],
  },
  {
    host: caddy,
    program: "caddy",
    run: (prefix) => ["run", "--config", join(prefix, "etc/caddy/Caddyfile"), "--adapter", "caddyfile"],
    // Turns off Caddy's administration port, because another Caddy might already use it.
    adapt: (prefix) => {
      const file = join(prefix, "etc/caddy/Caddyfile");
      writeFileSync(file, `{\n\tadmin off\n}\n${readFileSync(file, "utf8")}`);
    },
  },
];

for (const one of packages) {
  const program = findProgram(one.program);
  const isInstalled = program !== undefined && existsSync(join("/etc", one.program));
  describeWith(
    `${one.program} and /etc/${one.program}`,
    isInstalled,
    `${one.host.title}, by the written steps on a fresh Debian package`,
    () => {
      let engine: Engine;
      beforeAll(async () => {
        const prefix = temporaryFolder("mirrorfeed-debian-x");
        prepare(prefix, one);
        await follow(prefix, one);
        engine = closeAfterFile(
          await startServer(
            program ?? one.program,
            (port) => {
              for (const file of filesBelow(join(prefix, "etc"))) onPort(file, port);
              one.adapt?.(prefix);
              return one.run(prefix);
            },
            prefix,
          ),
        );
      });

      const known = "v1/network/alpha/main-tools/t1";
      const page = pageFiles.find(({ path }) => path === "docs/index.html")?.content;
      test.each<[path: string, status: number, body: unknown, method?: string]>([
        [`/${known}`, 200, feedDocuments.get(`${known}/index.json`)?.toString()],
        [`/${known}/0/`, 200, feedDocuments.get(`${known}/0/index.json`)?.toString()],
        ["/v1/network/x", 403, feedDocuments.get(errorPath("system"))?.toString()],
        [`/${known}/2`, 400, feedDocuments.get(errorPath("status"))?.toString()],
        ["/nothing", 404, feedDocuments.get(errorPath("not-found"))?.toString()],
        [`/${known}`, 405, feedDocuments.get(errorPath("method"))?.toString(), "POST"],
        ["/docs/", 200, page],
      ])("%s answers %i", async (path, status, body, method = "GET") => {
        const answer = await ask(engine.url, path, { method });
        expect([answer.status, answer.body.toString()]).toEqual([status, body]);
        expect(answer.headers["content-type"]).toMatch(body === page ? /^text\/html/ : /^application\/json$/);
        expect(answer.headers["access-control-allow-origin"]).toBe("*");
      });
    },
  );
}

/** Copies the package's configuration, and puts a finished site where the documented steps would build it. */
function prepare(prefix: string, { program }: Package): void {
  // A server that drops its privileges must still be able to read the site.
  chmodSync(prefix, 0o755);
  const folders = ["etc", "run", `var/log/${program}`, "var/lib", "var/www/html"];
  for (const folder of folders) {
    mkdirSync(join(prefix, folder), { recursive: true });
    // Debian's packages give some of these folders to www-data.
    chmodSync(join(prefix, folder), 0o777);
  }
  cpSync(join("/etc", program), join(prefix, "etc", program), { recursive: true, verbatimSymlinks: true });
  for (const file of filesBelow(join(prefix, "etc"))) movePaths(file, prefix);
  writeFileSync(join(prefix, "var/www/html/index.html"), "the default page of the package");
  writeFiles(join(prefix, "srv/site"), [...feedFiles, ...pageFiles]);
  writeFileSync(join(prefix, "mirrors.json"), JSON.stringify({ systems: feedConfig.systems }));
}

/**
 * Runs the commands from the documented steps in a shell, with all paths below the prefix. Programs that change the
 * system, such as systemctl, are replaced with programs that do nothing.
 */
async function follow(prefix: string, { host: { publishing } }: Package): Promise<void> {
  const bin = join(prefix, "bin");
  mkdirSync(bin);
  const script = (name: string, body: string): void => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  };
  for (const name of ["nginx", "systemctl"]) script(name, "exit 0");
  // Leaves out `mirrorfeed run`, which would probe mirrors, because the site already exists.
  const { path: program, close } = await openShellCommand(temporaryFolder());
  script("mirrorfeed", `[ "$1" = run ] || exec "${program}" "$@"`);
  const commands = publishing
    .flatMap((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code))
    .filter((code) => /^(?:echo|mirrorfeed|nginx|rm|systemctl) /.test(code));
  expect(commands.join("\n")).toMatch(/mirrorfeed host [\s\S]*systemctl/);
  const path = `${bin}:${env["PATH"] ?? ""}:/usr/sbin:/sbin`;
  for (const command of commands) {
    await promisify(execFile)("/bin/sh", ["-ec", below(prefix, command)], {
      cwd: prefix,
      env: { ...env, PATH: path },
    });
  }
  await close();
}

/** Puts the prefix before absolute paths in a text, except before the paths of programs. */
function below(prefix: string, text: string): string {
  return text.replaceAll(/(?<![\w.*}])\/(?=(?:etc\/(?!mime\.types)|run\/|srv\/|var\/))/g, `${prefix}/`);
}

function movePaths(file: string, prefix: string): void {
  if (lstatSync(file).isSymbolicLink()) {
    const target = readlinkSync(file);
    if (!target.startsWith("/etc/")) return;
    unlinkSync(file);
    symlinkSync(below(prefix, target), file);
  } else {
    writeFileSync(file, below(prefix, readFileSync(file, "utf8")));
  }
}

/** Replaces port 80 with this port. */
function onPort(file: string, port: number): void {
  if (lstatSync(file).isSymbolicLink()) return;
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/^(?!\s*#)(.*?[\s:])80(?=[\s;">]|$)/gm, `$1${port}`));
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
