import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { InputError } from "../../../src/core/base/errors.ts";
import { validate } from "../../../src/features/validate/validate-command.ts";
import {
  isNotice,
  loadNotices,
  maxNoticeBytes,
  maxNotices,
} from "../../../src/features/incidents/notices.ts";
import { recorded } from "../../support/command-context.ts";
import { configOf } from "../../support/playing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { configChecks } from "../../../src/app/config-checks.ts";

const nodes = listNodes(configOf());
const now = Date.parse("2026-03-11T00:00:00Z");
const valid = "---\ntitle: A title\nfrom: 2026-03-10T12:00:00Z\n---\nText\n";

const many = Object.fromEntries(
  Array.from({ length: maxNotices + 1 }, (_, index) => [`n${index}.md`, valid]),
);

/** Returns a folder with these files in its `public/incidents/`. */
function folderWith(files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = temporaryFolder("mirrorfeed-notices-");
  mkdirSync(join(folder, "public/incidents"), { recursive: true });
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, "public/incidents", name), content);
  return folder;
}

describe("the notices of a folder", () => {
  test("are the Markdown files of public/incidents, also with a byte order mark, and no others", async () => {
    const folder = folderWith({ "a.md": valid, "b.md": `\ufeff${valid}`, "c.txt": "" });
    const notices = await loadNotices(folder, nodes);
    expect(notices.map(({ name, html }) => ({ name, html }))).toEqual([
      { name: "a", html: "<p>Text</p>\n" },
      { name: "b", html: "<p>Text</p>\n" },
    ]);
    expect(await loadNotices(temporaryFolder("mirrorfeed-notices-"), nodes)).toEqual([]);
    const paths = ["incidents/a.md", "incidents/A.MD", "incidents/a/b.md", "a.md", "incidents/a.txt"];
    expect(paths.filter(isNotice)).toEqual(["incidents/a.md", "incidents/A.MD"]);
  });

  test.each<[string, Readonly<Record<string, string | Uint8Array>>, string]>([
    ["no UTF-8 text", { "a.md": Uint8Array.of(0x2d, 0xff) }, "a.md is not UTF-8 text; save it as UTF-8"],
    ["10 MB", { "a.md": valid + "x".repeat(10_000_000) }, "a.md is larger than 0.25 MiB; shorten it"],
    ["an ending in capitals", { "a.MD": valid }, 'a.MD" must end in .md, in lower case; rename it'],
    ["a name that a path cannot have", { "a b.md": valid }, 'the name "a b" must contain only'],
    ["too many files", many, `has more than ${maxNotices} notices; remove old ones`],
  ])("are refused with %s", async (_, files, message) => {
    const loading = loadNotices(folderWith(files), nodes);
    await expect(loading).rejects.toThrow(InputError);
    await expect(loading).rejects.toThrow(message);
  });

  test("may be as long as the limit", async () => {
    const text = valid + "x".repeat(maxNoticeBytes - valid.length);
    expect(await loadNotices(folderWith({ "a.md": text }), nodes)).toHaveLength(1);
  });

  test("are refused if one is a folder, or a link to a place outside", async () => {
    const folder = folderWith({});
    mkdirSync(join(folder, "public/incidents/a.md"));
    writeFileSync(join(folder, "public/incidents/a.md/b.txt"), "");
    await expect(loadNotices(folder, nodes)).rejects.toThrow('a.md" is a folder; a notice must be a file');
    const linked = folderWith({});
    writeFileSync(join(linked, "secret.md"), valid);
    symlinkSync(join(linked, "secret.md"), join(linked, "public/incidents/a.md"));
    await expect(loadNotices(linked, nodes)).rejects.toThrow("is a link");
  });

  test("may name what has left mirrors.json; validate warns of it", async () => {
    const keys = "to: 2026-03-10T13:00:00Z\nmirrors: [1, 12, 12]\ntargets: [s/p/x]\n";
    const ended = valid.replace("---\nText", `${keys}---\nText`);
    const folder = folderWith({ "a.md": ended });
    const [notice] = await loadNotices(folder, nodes);
    expect(notice).toMatchObject({ nodes: new Set([1]), gone: [12, "s/p/x"] });
    const config = join(folder, "mirrors.json");
    const { systems } = configOf();
    writeFileSync(config, JSON.stringify({ systems }));
    const { context, logged } = recorded({ now: () => now });
    expect(await validate({ config, out: "_site" }, configChecks, context)).toBe(0);
    expect(logged.filter((line) => line.includes("a.md"))).toEqual([
      'Warning: public/incidents/a.md: "12" is not in mirrors.json; the notice shows its last known name.',
      'Warning: public/incidents/a.md: "s/p/x" is not in mirrors.json; the notice shows its last known name.',
    ]);
  });
});
