import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../src/base/errors.ts";
import { loadConfig } from "../../src/config/load.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("certificate authorities are found beside the configuration", async () => {
  const folder = temporaryFolder();
  const network = [{ id: 1, url: "https://git.example.org/a/b" }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const file = join(folder, "mirrors.json");
  writeFileSync(file, JSON.stringify({ systems, probe: { ca: ["own.pem", "/etc/other.pem"] } }));
  expect((await loadConfig(file)).probe.ca).toEqual([join(folder, "own.pem"), "/etc/other.pem"]);
});

test("keyrings of every level are found beside the configuration", async () => {
  const folder = temporaryFolder();
  const keyring = (name: string) => ({ kind: "apt", apt: { keyring: name } });
  const network = [{ id: 1, url: "https://a.example.org/a", probe: keyring("n.gpg") }];
  const targets = [
    { target: "t", probe: keyring("keys/t.gpg"), network },
    { target: "u", network: [{ id: 2, url: "https://a.example.org/b" }] },
  ];
  const projects = [{ project: "p", probe: keyring("/etc/p.gpg"), targets }];
  const file = join(folder, "mirrors.json");
  writeFileSync(file, JSON.stringify({ systems: [{ system: "s", projects }], probe: keyring("r.gpg") }));
  const config = await loadConfig(file);
  const found = JSON.stringify(config).match(/"keyring":"[^"]*"/g);
  const paths = ["/etc/p.gpg", join(folder, "keys/t.gpg"), join(folder, "n.gpg"), join(folder, "r.gpg")];
  expect(found).toEqual(paths.map((path) => `"keyring":${JSON.stringify(path)}`));
});

test.each([
  [
    "that is missing",
    "none.json",
    "does not exist; make one with mirrorfeed init, or name yours with --config.",
  ],
  [
    "that is a folder",
    ".",
    "; run mirrorfeed in the folder of mirrors.json, or name the file with --config.",
  ],
])("a configuration %s is an error with its remedy", async (_, name, end) => {
  const error = await loadConfig(join(temporaryFolder(), name)).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(InputError);
  expect(String(error)).toSatisfy((message: string) => message.endsWith(end));
});
