import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { readOwnPublic } from "../../../src/core/site/public.ts";
import { filledPath } from "../../../src/features/templates/filled-path.ts";
import { fillTemplates } from "../../../src/features/templates/template.ts";
import { configOf, noon, play, textsOf } from "../../support/playing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const config = configOf();

type Files = Readonly<Record<string, string | Uint8Array>>;

/** Loads the templates from a folder that has these files in its `public/`. */
async function load(files: Files) {
  const folder = temporaryFolder("mirrorfeed-templates-");
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "public", path)), { recursive: true });
    writeFileSync(join(folder, "public", path), content);
  }
  return fillTemplates(join(folder, "public"), readOwnPublic(folder, filledPath), listNodes(config));
}

test("templates are filled in, and other files copied", async () => {
  const text = "{{s/p/t.best.id}}\r\n";
  const filled = await load({
    ...{ "a.txt": "a", "incidents/b.md.mustache": text },
    ...{ "a/hosts.toml.mustache": `\ufeff"${text}"`, "b.MUSTACHE": "{{", "c.mustache/d.txt": "{{" },
    ...{ "a/.mustache": "{{" },
  });
  expect(Object.fromEntries(textsOf(filled(play(config, [{ at: noon }]).feed)))).toEqual({
    ...{ "a.txt": "a", "a/.mustache": "{{", "b.MUSTACHE": "{{", "c.mustache/d.txt": "{{" },
    ...{ "a/hosts.toml": '"1\r\n"', "incidents/b.md": "1\r\n" },
  });
});

test.each<[string, Files, string]>([
  ["is wrong", { "a/b.txt.mustache": "\n{{c}}" }, 'public/a/b.txt.mustache", line 2: "c" is unknown here'],
  ["is too large", { "a.mustache": "x".repeat(1024 * 1024 + 1) }, "is larger than 1 MiB; shorten it."],
  ["is not UTF-8", { "a.mustache": Uint8Array.of(0xff) }, "is not UTF-8 text; save it as UTF-8."],
  [
    "would become a file that is there",
    { "a.txt": "", "a.txt.mustache": "" },
    'a.txt.mustache" would produce a file that already exists; remove one of the two.',
  ],
])("a template is refused if it %s", async (_, files, message) => {
  const loading = load(files);
  await expect(loading).rejects.toThrow(InputError);
  await expect(loading).rejects.toThrow(message);
});

test.each(["feed.json.mustache", "v1/a.mustache", "errors.mustache", "Metrics.txt.mustache"])(
  "a template that would become data is refused: %s",
  async (path) => {
    await expect(load({ [path]: "x" })).rejects.toThrow(`only a run may write: "${path}"; remove`);
  },
);
