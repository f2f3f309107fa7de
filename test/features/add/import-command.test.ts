import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { importList, type ImportOptions } from "../../../src/features/add/import-command.ts";
import { recorded, sentence } from "../../support/command-context.ts";
import { everything, folderWith } from "../../support/folder.ts";
import { mirrorsJson } from "../../support/mirrors-json.ts";

const to = "s/p/t";
const kept = { id: 5, url: "https://a.example.org/archlinux/" };
const old = { id: 7, name: "Old", url: "https://old.example.org/archlinux/" };
const fresh = { id: 8, url: "https://b.example.org/archlinux/" };

function feedOf(nodes: readonly object[], target: object = { probe: { kind: "pacman" } }): string {
  return JSON.stringify(mirrorsJson(nodes, {}, target), null, 2);
}

const mirrorlist = `Server = https://a.example.org/archlinux/$repo/os/$arch
Server = https://b.example.org/archlinux/$repo/os/$arch
Server = rsync://b.example.org/archlinux/$repo/os/$arch
`;

function written(list: string | Buffer = mirrorlist, text = feedOf([kept, old])) {
  const folder = folderWith({ "mirrors.json": text });
  writeFileSync(join(folder, "list"), list);
  return { folder, config: join(folder, "mirrors.json"), file: join(folder, "list") };
}

async function run({ file, config }: ReturnType<typeof written>, options: Partial<ImportOptions> = {}) {
  const { context, printed, logged } = recorded();
  const code = await importList(file, { to, config, ...options }, context);
  return { code, printed: printed.join("\n"), logged };
}

test("adds what is new, says what the list does not have, and keeps the layout", async () => {
  const files = written();
  const { code, printed, logged } = await run(files);
  expect(code).toBe(0);
  expect(printed).toBe(
    [
      "+ 8 https://b.example.org/archlinux/",
      "? 7 https://old.example.org/archlinux/",
      `${to}: 1 added, 1 unchanged, 1 not in the list.`,
    ].join("\n"),
  );
  expect(logged).toEqual([
    `${files.file}: left out, since the URL "rsync://b.example.org/archlinux/" has the scheme "rsync"; only http and https are probed.`,
  ]);
  expect(readFileSync(files.config, "utf8")).toBe(feedOf([kept, old, fresh]));
});

test("a second import writes nothing", async () => {
  const files = written();
  await run(files, { remove: true });
  const before = statSync(files.config, { bigint: true });
  const printed = `${to}: 0 added, 2 unchanged, 0 removed.`;
  expect(await run(files, { remove: true })).toMatchObject({ code: 0, printed });
  const { ino, mtimeNs } = statSync(files.config, { bigint: true });
  expect({ ino, mtimeNs }).toEqual({ ino: before.ino, mtimeNs: before.mtimeNs });
});

test("--remove removes what the list does not have, and --dry-run prints the same and changes nothing", async () => {
  const files = written();
  const before = everything(files.folder);
  const lines = [
    "+ 8 https://b.example.org/archlinux/",
    "- 7 https://old.example.org/archlinux/",
    `${to}: 1 added, 1 unchanged, 1 removed.`,
  ];
  expect((await run(files, { remove: true, dryRun: true })).printed.split("\n")).toEqual([
    ...lines,
    `Dry run: nothing was written to ${files.config}.`,
  ]);
  expect(everything(files.folder)).toEqual(before);
  expect((await run(files, { remove: true })).printed.split("\n")).toEqual(lines);
  expect(readFileSync(files.config, "utf8")).toBe(feedOf([kept, fresh]));
});

test("makes a target that is missing, with the kind of the list", async () => {
  const files = written(
    "deb https://deb.example.org/debian trixie main\ndeb http://10.0.0.1/debian trixie main",
  );
  const { printed, logged } = await run(files, { to: "s/debian/main" });
  expect(printed.split("\n").slice(0, 3)).toEqual([
    "+ 8 https://deb.example.org/debian",
    "+ 9 http://10.0.0.1/debian",
    "s/debian/main: 2 added, 0 unchanged, 0 not in the list.",
  ]);
  expect(printed).toContain("New: project, target. The mirrors are probed as apt.");
  expect(logged).toEqual([expect.stringMatching(/^Warning: 1 URL in a private network \(10\.0\.0\.1\)/)]);
});

test("makes mirrors.json if there is none, and says so", async () => {
  const files = written(
    "deb https://a.example.org/debian sid main\ndeb http://b.example.org/debian sid main",
  );
  const config = join(files.folder, "new/mirrors.json");
  const lines = [
    "+ 1 https://a.example.org/debian",
    "+ 2 http://b.example.org/debian",
    `${to}: 2 added, 0 unchanged, 0 not in the list.`,
    "New: system, project, target. The mirrors are probed as apt.",
  ];
  const dry = await run({ ...files, config }, { dryRun: true });
  expect(dry.printed.split("\n")).toEqual([...lines, `Dry run: nothing was written to ${config}.`]);
  expect(existsSync(config)).toBe(false);
  const { printed, logged } = await run({ ...files, config });
  expect(printed.split("\n")).toEqual([...lines, `Created ${config}; to make the feed, use mirrorfeed run.`]);
  expect(logged).toEqual([]);
  expect(readFileSync(config, "utf8")).toContain(`              "network": [
                { "id": 1, "url": "https://a.example.org/debian" },
                { "id": 2, "url": "http://b.example.org/debian" }
              ]
`);
  expect((await run({ ...files, config })).printed).toBe(`${to}: 0 added, 2 unchanged, 0 not in the list.`);
});

test("--json prints the difference and nothing else", async () => {
  const files = written();
  const { printed, logged } = await run(files, { json: true, dryRun: true });
  expect(logged).toEqual([]);
  expect(JSON.parse(printed)).toEqual({
    file: files.file,
    format: "pacman",
    config: files.config,
    system: "s",
    project: "p",
    target: "t",
    dry_run: true,
    created: [],
    kind: "pacman",
    options: {},
    added: [{ id: 8, name: "b.example.org/archlinux", url: "https://b.example.org/archlinux/" }],
    known: 1,
    missing: [{ id: 7, name: "Old", url: "https://old.example.org/archlinux/" }],
    removed: [],
    notes: [expect.stringContaining('"rsync"')],
  });
  expect(JSON.parse((await run(files, { json: true, remove: true })).printed)).toMatchObject({
    dry_run: false,
    missing: [],
    removed: [{ id: 7 }],
  });
});

test.each<[string, string | Buffer, RegExp]>([
  ["no list", "hello", /is not a list of mirrors that mirrorfeed recognizes; write one URL a line\.$/],
  ["a binary file", Buffer.from([0xff, 0xfe, 0x00, 0x41]), /is not UTF-8 text; save it as UTF-8\.$/],
  ["a large file", "x".repeat(5_000_000), /is larger than 4 MiB; name a list of mirrors\.$/],
  [
    "only other schemes",
    "rsync://a.example.org/x\nftp://a.example.org/x\n",
    /has no URL to import: the URL .*"rsync"; only http and https are probed\.$/,
  ],
  ["only comments", "#Server = https://a.example.org/$repo\n", /no URL to import: comments are left out\.$/],
  [
    "a query, which git refuses",
    "https://a.example.org/x?y=z",
    /after the change has 1 problem:\n.*has a query, which only http mirrors may have/,
  ],
])("nothing is changed by %s", async (_, list, reason) => {
  const files = written(list, feedOf([kept, old], {}));
  const before = everything(files.folder);
  expect(await sentence(run(files))).toMatch(reason);
  expect(everything(files.folder)).toEqual(before);
});
