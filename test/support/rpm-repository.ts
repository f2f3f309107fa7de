import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./requirement.ts";
import type { Ended } from "./tool-feed.ts";
import { Workshop } from "./workshop.ts";

export const hasRpmTools = ["createrepo_c", "rpmbuild", "dnf"].every(
  (name) => findProgram(name) !== undefined,
);

export function packagePath(name: string): string {
  return `Packages/${name}-1.0+a.rpm`;
}

/** A folder of repositories with metadata made by createrepo_c. */
export class RpmWorkshop extends Workshop {
  add(repository: string, at: Date, ...names: readonly string[]): void {
    const root = join(this.folder, repository);
    mkdirSync(join(root, "Packages"), { recursive: true });
    for (const name of names) this.#build(root, name);
    const revision = `--revision=${Math.floor(at.getTime() / 1000)}`;
    const options = ["--quiet", "--general-compress-type=gz", revision, "--set-timestamp-to-revision"];
    this.run(this.folder, "createrepo_c", ...options, root);
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
  dnf(url: string, name: string): Ended {
    const home = join(this.folder, "dnf");
    rmSync(home, { recursive: true, force: true });
    mkdirSync(join(home, "log"), { recursive: true });
    const settings = { reposdir: `${home}/none`, cachedir: `${home}/cache`, logdir: `${home}/log` };
    const options = { ...settings, gpgcheck: 0, retries: 1, plugins: 0, proxy: "", skip_if_unavailable: 0 };
    const parameters = [
      ...["-y", `--installroot=${join(home, "root")}`, "--releasever=1"],
      ...Object.entries(options).map(([key, value]) => `--setopt=${key}=${value}`),
      ...[`--repofrompath=mirror,${url}`, "--repo=mirror"],
    ];
    return this.attempt(this.folder, "dnf", ...parameters, "install", "--downloadonly", name);
  }

  #build(root: string, name: string): void {
    const work = join(this.folder, "work");
    mkdirSync(work, { recursive: true });
    const spec = join(work, `${name}.spec`);
    const fields = `Name: ${name}\nVersion: 1.0+a\nRelease: 1\nSummary: A package\nLicense: MIT\nBuildArch: noarch\n`;
    writeFileSync(spec, `${fields}%description\nA package.\n%files\n`);
    const places = { _topdir: work, _rpmdir: join(root, "Packages"), _rpmfilename: "%{NAME}-%{VERSION}.rpm" };
    const macros = Object.entries(places).flatMap(([macro, value]) => ["--define", `${macro} ${value}`]);
    this.run(this.folder, "rpmbuild", "--quiet", "-bb", ...macros, spec);
  }
}
