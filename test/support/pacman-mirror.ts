import { lutimesSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./requirement.ts";
import { isRoot } from "./server-process.ts";
import type { Ended } from "./tool-feed.ts";
import { Workshop } from "./workshop.ts";

export const hasPacmanTools = ["repo-add", "makepkg", "bsdtar", "pacman", "fakeroot"].every(
  (name) => findProgram(name) !== undefined,
);

/** The repository's path in a mirror. */
export const repository = "core/os/x86_64";

/** Returns a package's file name. Versions with an epoch contain a colon. */
function packageFile(name: string): string {
  return `${name}-1:2.0+a-1-any.pkg.tar.gz`;
}

/** A folder of mirrors with databases made by repo-add. */
export class PacmanWorkshop extends Workshop {
  /** Adds packages to a mirror's repository at a given time, and updates `lastupdate` and `lastsync`. */
  add(mirror: string, at: Date, ...names: readonly string[]): void {
    const root = join(this.folder, mirror);
    const packages = join(root, repository);
    mkdirSync(packages, { recursive: true });
    for (const name of names) {
      const fields = `pkgname = ${name}\npkgver = 1:2.0+a-1\narch = any\nsize = 1\nbuilddate = 1\n`;
      writeFileSync(join(packages, ".PKGINFO"), fields);
      this.run(packages, "bsdtar", "-czf", packageFile(name), ".PKGINFO");
      rmSync(join(packages, ".PKGINFO"));
    }
    this.run(packages, "repo-add", "--quiet", "core.db.tar.gz", ...names.map(packageFile));
    for (const name of ["core.db", "core.db.tar.gz"]) lutimesSync(join(packages, name), at, at);
    for (const name of ["lastupdate", "lastsync"]) this.stamp(mirror, name, at);
  }

  /** Writes a time into a file at the root of a mirror. */
  stamp(mirror: string, name: string, at: Date): void {
    const file = join(this.folder, mirror, name);
    mkdirSync(join(this.folder, mirror), { recursive: true });
    writeFileSync(file, `${Math.floor(at.getTime() / 1000)}\n`);
    lutimesSync(file, at, at);
  }

  remove(mirror: string, pattern: RegExp): void {
    const folder = join(this.folder, mirror, repository);
    for (const name of readdirSync(folder).filter((name) => pattern.test(name))) rmSync(join(folder, name));
  }

  /** Downloads a package. */
  pacman(url: string, name: string): Ended {
    const home = join(this.folder, "pacman");
    rmSync(home, { recursive: true, force: true });
    mkdirSync(join(home, "db"), { recursive: true });
    const config = join(home, "pacman.conf");
    const server = `${url}/$repo/os/$arch`;
    writeFileSync(config, `[options]\nArchitecture = x86_64\nSigLevel = Never\n[core]\nServer = ${server}\n`);
    const folders = [
      `--root=${home}`,
      `--dbpath=${home}/db`,
      `--cachedir=${home}/cache`,
      `--logfile=${home}/log`,
    ];
    const command = ["pacman", `--config=${config}`, ...folders, "--noconfirm", "-Syw", name];
    const [program = "", ...parameters] = isRoot ? command : ["fakeroot", ...command];
    return this.attempt(home, program, ...parameters);
  }
}
