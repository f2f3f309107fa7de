import { truncateSync } from "node:fs";
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

const svg = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>';
const png = Buffer.from("89504e470d0a1a0a", "hex");

test.each([
  ["logo.svg", "logo.svg", svg, undefined],
  ["brand/logo.png", "brand/logo.png", png, undefined],
  ["logo.webp", "logo.webp", "RIFF....WEBPVP8 ", undefined],
  ["logo.svg", "other.svg", svg, 'site.logo: "/public/logo.svg" is not a file; put the image there'],
  ["logo.svg", "logo.svg/a", svg, 'site.logo: "/public/logo.svg" is not a file;'],
  ["logo.svg", "logo.svg", "<html>", 'site.logo: "/public/logo.svg" is not in SVG format;'],
  ["logo.png", "logo.png", svg, 'site.logo: "/public/logo.png" is not in PNG format;'],
  ["logo.webp", "logo.webp", png, 'site.logo: "/public/logo.webp" is not in WEBP format;'],
])("the logo %s beside the file %s with %j", async (logo, path, content, problem) => {
  const folder = temporaryFolder();
  const text = JSON.stringify(mirrorsJson([node], { site: { logo } }), null, 2);
  writeFiles(folder, [
    { path: "mirrors.json", content: text },
    { path: `public/${path}`, content },
  ]);
  const loaded = loadConfig(join(folder, "mirrors.json"));
  if (problem === undefined) {
    expect((await loaded).site.logo).toBe(logo);
    return;
  }
  const message = (await sentence(loaded)).replaceAll(folder, "");
  expect(message).toContain(problem);
  const line = text.split("\n").findIndex((one) => one.includes('"logo"')) + 1;
  expect(message).toContain(`(line ${line})`);
});

test("of a logo that is huge only the beginning is read", async () => {
  const folder = temporaryFolder();
  writeFiles(folder, [
    { path: "mirrors.json", content: JSON.stringify(mirrorsJson([node], { site: { logo: "logo.png" } })) },
    { path: "public/logo.png", content: png },
  ]);
  // Node.js cannot read a whole file of 2 GiB or more.
  truncateSync(join(folder, "public/logo.png"), 2 ** 31);
  expect((await loadConfig(join(folder, "mirrors.json"))).site.logo).toBe("logo.png");
});
