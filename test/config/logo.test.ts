import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/config/load.ts";
import { writeFiles } from "../support/contract/feed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const network = [{ id: 1, url: "https://git.example.org/a/b" }];
const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];

/** Loads a configuration with a logo, and a file in `public/` beside it. Returns what is wrong. */
async function problemOf(logo: string, path: string, content: string | Buffer): Promise<string> {
  const folder = temporaryFolder("mirrorfeed-logo-");
  const config = JSON.stringify({ systems, site: { logo } }, null, 2);
  writeFiles(folder, [
    { path: "mirrors.json", content: config },
    { path: `public/${path}`, content },
  ]);
  try {
    await loadConfig(join(folder, "mirrors.json"));
    return "";
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(folder, "") : "";
  }
}

const svg = '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>';
const png = Buffer.from("89504e470d0a1a0a", "hex");

test.each([
  ["logo.svg", svg],
  ["brand/logo.png", png],
  ["logo.webp", "RIFF....WEBPVP8 "],
])("a logo can be %s", async (logo, content) => {
  expect(await problemOf(logo, logo, content)).toBe("");
});

test.each([
  ["logo.svg", "other.svg", svg, 'site.logo: "/public/logo.svg" is not a file; put the picture there'],
  ["logo.svg", "logo.svg/a", svg, 'site.logo: "/public/logo.svg" is not a file;'],
  ["logo.svg", "logo.svg", "<html>", 'site.logo: "/public/logo.svg" is not a picture in the format SVG;'],
  ["logo.png", "logo.png", svg, 'site.logo: "/public/logo.png" is not a picture in the format PNG;'],
  ["logo.webp", "logo.webp", png, 'site.logo: "/public/logo.webp" is not a picture in the format WEBP;'],
])("a logo %s is refused beside the file %s: %j", async (logo, path, content, problem) => {
  const message = await problemOf(logo, path, content);
  expect(message).toContain(problem);
  const lines = JSON.stringify({ systems, site: { logo } }, null, 2).split("\n");
  expect(message).toContain(`(line ${lines.findIndex((line) => line.includes('"logo"')) + 1})`);
});
