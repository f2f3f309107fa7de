import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "./requirement.ts";
import { type Ended, runTool } from "./tool-feed.ts";
import { Workshop } from "./workshop.ts";

export const hasAptTools = ["reprepro", "dpkg-deb", "gpg", "gpgv", "apt-get"].every(
  (name) => findProgram(name) !== undefined,
);

const suite = "example";

/** The folder of the release file, relative to the archive's root. */
export const releaseFolder = `dists/${suite}`;

/** A folder of archives made by reprepro, and the key that signs them. */
export class AptWorkshop extends Workshop {
  /** The path of the public key, in the format that gpgv reads. */
  readonly keyring: string;

  constructor(folder: string) {
    const home = join(folder, "gnupg");
    super(folder, { GNUPGHOME: home });
    this.keyring = join(folder, "archive-keyring.gpg");
    mkdirSync(home, { mode: 0o700 });
    const key = ["--quick-generate-key", "a@example.org", "ed25519", "sign"];
    this.run(this.folder, "gpg", "--batch", "--passphrase", "", ...key);
    this.run(this.folder, "gpg", "--batch", "--output", this.keyring, "--export");
  }

  /** Adds packages to an archive, and creates the archive if needed. */
  add(archive: string, ...names: readonly string[]): void {
    const root = join(this.folder, archive);
    mkdirSync(join(root, "conf"), { recursive: true });
    const fields = `Suite: stable\nCodename: ${suite}\nArchitectures: amd64\nComponents: main\nSignWith: yes\nValidFor: 7d\n`;
    writeFileSync(join(root, "conf/distributions"), fields);
    const packages = names.map((name) => this.#package(name));
    this.run(this.folder, "reprepro", "--silent", "-b", root, "includedeb", suite, ...packages);
  }

  /** Backdates an archive's release file and signs it again. */
  setBack(archive: string, ms: number): void {
    const file = (name: string): string => join(this.folder, archive, releaseFolder, name);
    const text = readFileSync(file("Release"), "utf8").replaceAll(
      /^(Date|Valid-Until): (.*)$/gm,
      (_, name: string, date: string) => {
        return `${name}: ${new Date(Date.parse(date) - ms).toUTCString().replace("GMT", "UTC")}`;
      },
    );
    writeFileSync(file("Release"), text);
    for (const name of ["InRelease", "Release.gpg"]) rmSync(file(name));
    this.run(this.folder, "gpg", "--batch", "--output", file("InRelease"), "--clearsign", file("Release"));
  }

  /** Runs `apt-get update`, then `apt-get` with the given parameters. The mirror is apt's only source. */
  async apt(mirror: string, ...parameters: readonly string[]): Promise<Ended> {
    const home = join(this.folder, "apt");
    rmSync(home, { recursive: true, force: true });
    for (const name of ["state/lists/partial", "cache/archives/partial", "etc/preferences.d", "work"]) {
      mkdirSync(join(home, name), { recursive: true });
    }
    writeFileSync(join(home, "status"), "");
    writeFileSync(join(home, "sources.list"), `deb [signed-by=${this.keyring}] ${mirror} ${suite} main\n`);
    const options = {
      "Dir::Etc": join(home, "etc"),
      "Dir::Etc::SourceList": join(home, "sources.list"),
      "Dir::State": join(home, "state"),
      "Dir::State::Status": join(home, "status"),
      "Dir::Cache": join(home, "cache"),
      "APT::Architecture": "amd64",
      "APT::Sandbox::User": "",
      "Acquire::Check-Date": "true",
      "Acquire::Check-Valid-Until": "true",
      "Acquire::http::Proxy": "DIRECT",
      "Acquire::Languages": "none",
      "Acquire::Retries": "0",
      "APT::Update::Error-Mode": "any",
    };
    const common = Object.entries(options).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
    const script = `apt-get "$@" update && apt-get "$@" ${parameters.join(" ")}`;
    return runTool("sh", ["-c", `{ ${script}; } 2>&1`, "sh", ...common], {
      cwd: join(home, "work"),
      env: this.environment,
    });
  }

  #package(name: string): string {
    const root = join(this.folder, "packages", name);
    mkdirSync(join(root, "DEBIAN"), { recursive: true });
    const fields = {
      Package: name,
      Version: "1.0+b1",
      Architecture: "amd64",
      Section: "misc",
      Priority: "optional",
      Maintainer: "A <a@example.org>",
      Description: "a package",
    };
    const control = Object.entries(fields).map(([field, value]) => `${field}: ${value}\n`);
    writeFileSync(join(root, "DEBIAN/control"), control.join(""));
    this.run(this.folder, "dpkg-deb", "--root-owner-group", "--build", root, `${root}.deb`);
    return `${root}.deb`;
  }
}
