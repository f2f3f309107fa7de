import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../../src/core/config/load.ts";
import { sentence } from "../../support/command-context.ts";
import { writeFiles } from "../../support/contract/feed.ts";
import { mirrorsJson } from "../../support/mirrors-json.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const node = { id: 1, url: "https://git.example.org/a/b" };

test("certificate authorities and keyrings of every level are found beside the configuration", async () => {
  const folder = temporaryFolder();
  const keyring = (name: string) => ({ kind: "apt", apt: { keyring: name } });
  const network = [{ ...node, probe: keyring("n.gpg") }];
  const targets = [
    { target: "t", probe: keyring("keys/t.gpg"), network },
    { target: "u", network: [{ id: 2, url: "https://a.example.org/b" }] },
  ];
  const systems = [{ system: "s", projects: [{ project: "p", probe: keyring("/etc/p.gpg"), targets }] }];
  const probe = { ...keyring("r.gpg"), ca: ["own.pem", "/etc/other.pem"] };
  const file = join(folder, "mirrors.json");
  writeFiles(folder, [{ path: "mirrors.json", content: JSON.stringify({ systems, probe }) }]);
  const config = await loadConfig(file);
  expect(config.probe.ca).toEqual([join(folder, "own.pem"), "/etc/other.pem"]);
  const found = JSON.stringify(config).match(/"keyring":"[^"]*"/g);
  const paths = ["/etc/p.gpg", join(folder, "keys/t.gpg"), join(folder, "n.gpg"), join(folder, "r.gpg")];
  expect(found).toEqual(paths.map((path) => `"keyring":${JSON.stringify(path)}`));
});

test.each([
  ["none.json", "does not exist; make one with mirrorfeed init, or name yours with --config."],
  [".", "; run mirrorfeed in the folder of mirrors.json, or name the file with --config."],
])("the configuration %s is an error with its remedy", async (name, end) => {
  expect((await sentence(loadConfig(join(temporaryFolder(), name)))).endsWith(end)).toBe(true);
});

test.each([
  ["brand/logo.png", undefined],
  ["other.svg", 'site.logo: "/public/other.svg" is not a file; put the image there'],
  ["brand/logo.png/a.png", 'site.logo: "/public/brand/logo.png/a.png" is not a file;'],
])("the logo %s is a file in public/, or an error with its line", async (logo, problem) => {
  const folder = temporaryFolder();
  writeFiles(folder, [
    { path: "mirrors.json", content: JSON.stringify(mirrorsJson([node], { site: { logo } })) },
    { path: "public/brand/logo.png", content: "picture" },
  ]);
  const loaded = loadConfig(join(folder, "mirrors.json"));
  if (problem === undefined) expect((await loaded).site.logo).toBe(logo);
  else expect((await sentence(loaded)).replaceAll(folder, "")).toMatch(problem);
});
