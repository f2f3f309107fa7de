import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { InputError } from "../../src/core/base/errors.ts";
import { listNodes } from "../../src/core/config/nodes.ts";
import { loadOwnFiles } from "../../src/app/own-files.ts";
import { configOf } from "../support/playing.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const nodes = listNodes(configOf());

/** Loads the operator's files from a folder that has these files in its `public/`. */
function load(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = temporaryFolder("mirrorfeed-own-files-");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "public", path)), { recursive: true });
    writeFileSync(join(folder, "public", path), content);
  }
  return loadOwnFiles(folder, nodes);
}

describe("the operator's files", () => {
  test("are copied, except notices, and templates are filled in", async () => {
    const text = "{{s/p/t.best.url}}\r\n";
    const { copied, templates } = await load({
      ...{ "a.txt": "a", "incidents/a.md": "n", "incidents/b.md.mustache": text },
      ...{ "a/hosts.toml.mustache": `\ufeff"${text}"`, "b.MUSTACHE": "{{", "c.mustache/d.txt": "{{" },
    });
    expect(copied.map(({ path }) => path)).toEqual(["a.txt", "b.MUSTACHE", "c.mustache/d.txt"]);
    expect(templates).toEqual([
      { path: "a/hosts.toml", text: `"${text}"` },
      { path: "incidents/b.md", text },
    ]);
  });

  test.each<[string, Readonly<Record<string, string | Uint8Array>>, string]>([
    [
      "is not valid",
      { "a/b.txt.mustache": "\n{{c}}" },
      'public/a/b.txt.mustache", line 2: "c" is unknown here',
    ],
    [
      "is larger than 1 MiB",
      { "a.mustache": "x".repeat(1024 * 1024 + 1) },
      "is larger than 1 MiB; shorten it.",
    ],
    ["is not UTF-8", { "a.mustache": Uint8Array.of(0xff) }, "is not UTF-8 text; save it as UTF-8."],
    ["has no other name", { "a/.mustache": "" }, 'a/.mustache" has no name before .mustache; put the name'],
    [
      "would become a file that is there",
      { "a.txt": "", "a.txt.mustache": "" },
      'a.txt.mustache" would produce a file that already exists; remove one of the two.',
    ],
  ])("are refused if a template %s", async (_, files, message) => {
    const loading = load(files);
    await expect(loading).rejects.toThrow(InputError);
    await expect(loading).rejects.toThrow(message);
  });
});

test.each(["feed.json.mustache", "v1/a.mustache", "errors.mustache", "Metrics.txt.mustache"])(
  "a template that would become data is refused: %s",
  async (path) => {
    await expect(load({ [path]: "x" })).rejects.toThrow(`only a run may write: "${path}"; remove`);
  },
);
