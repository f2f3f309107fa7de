import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "node:process";
import { findProgram } from "./requirement.ts";

export const hasRpmTools = ["createrepo_c", "rpmbuild", "dnf"].every(
  (name) => findProgram(name) !== undefined,
);

export function packagePath(name: string): string {
  return `Packages/${name}-1.0+a.rpm`;
}

/** A folder of repositories with metadata made by createrepo_c. */
export class RpmWorkshop {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  add(repository: string, at: Date, ...names: readonly string[]): void {
    const root = join(this.folder, repository);
    mkdirSync(join(root, "Packages"), { recursive: true });
    for (const name of names) this.#build(root, name);
    const revision = `--revision=${Math.floor(at.getTime() / 1000)}`;
    const options = ["--quiet", "--general-compress-type=gz", revision, "--set-timestamp-to-revision"];
    this.#run("createrepo_c", ...options, root);
  }

  copy(from: string, to: string): void {
    cpSync(join(this.folder, from), join(this.folder, to), { recursive: true, preserveTimestamps: true });
  }

  /** Changes the metadata files of a type. If `change` returns undefined, the file is removed. */
  damage(repository: string, type: string, change: (content: Buffer) => Buffer | undefined): void {
    const folder = join(this.folder, repository, "repodata");
    for (const name of readdirSync(folder).filter((name) => name.includes(type))) {
      const content = change(readFileSync(join(folder, name)));
      if (content === undefined) rmSync(join(folder, name));
      else writeFileSync(join(folder, name), content);
    }
  }

  /** Downloads a package. */
  dnf(url: string, name: string): { readonly code: number; readonly output: string } {
    const home = join(this.folder, "dnf");
    rmSync(home, { recursive: true, force: true });
    mkdirSync(join(home, "log"), { recursive: true });
    const settings = {
      reposdir: join(home, "none"),
      cachedir: join(home, "cache"),
      logdir: join(home, "log"),
    };
    const options = { ...settings, gpgcheck: 0, retries: 1, plugins: 0, proxy: "", skip_if_unavailable: 0 };
    const parameters = [
      ...["-y", `--installroot=${join(home, "root")}`, "--releasever=1"],
      ...Object.entries(options).map(([key, value]) => `--setopt=${key}=${value}`),
      ...[`--repofrompath=mirror,${url}`, "--repo=mirror"],
    ];
    try {
      const output = this.#run("dnf", ...parameters, "install", "--downloadonly", name);
      return { code: 0, output };
    } catch (error) {
      if (!(error instanceof Error) || !("status" in error) || !("stdout" in error) || !("stderr" in error))
        throw error;
      return { code: Number(error.status), output: `${String(error.stdout)}${String(error.stderr)}` };
    }
  }

  #build(root: string, name: string): void {
    const work = join(this.folder, "work");
    mkdirSync(work, { recursive: true });
    const spec = join(work, `${name}.spec`);
    writeFileSync(
      spec,
      `Name: ${name}\nVersion: 1.0+a\nRelease: 1\nSummary: A package\nLicense: MIT\nBuildArch: noarch\n%description\nA package.\n%files\n`,
    );
    const folders = {
      _topdir: work,
      _rpmdir: join(root, "Packages"),
      _rpmfilename: "%{NAME}-%{VERSION}.rpm",
    };
    const macros = Object.entries(folders).flatMap(([macro, value]) => ["--define", `${macro} ${value}`]);
    this.#run("rpmbuild", "--quiet", "-bb", ...macros, spec);
  }

  #run(program: string, ...parameters: readonly string[]): string {
    const environment = { ...env, http_proxy: "", no_proxy: "127.0.0.1", LC_ALL: "C.UTF-8" };
    return execFileSync(program, parameters, {
      cwd: this.folder,
      env: environment,
      encoding: "utf8",
      stdio: "pipe",
    });
  }
}
