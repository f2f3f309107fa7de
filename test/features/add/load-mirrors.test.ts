import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import type { ListFormat } from "../../../src/features/add/list-format.ts";
import { collectMirrors, findFormat } from "../../../src/features/add/load-mirrors.ts";
import { kinds } from "../../../src/core/kinds/kinds.ts";

const sources = `Types: deb deb-src
# A comment within a stanza
URIs: https://deb.example.org/debian
  http://ftp.example.org/debian/
Suites: trixie trixie-updates
Components: main
Signed-By: /usr/share/keyrings/debian.pgp

types: deb
Enabled: no
uris: https://off.example.org/debian
suites: sid
`;

const sourcesList = `# deb https://old.example.org/debian bookworm main
deb [signed-by=/a.gpg] https://deb.example.org/debian bookworm main
deb-src https://deb.example.org/debian bookworm main
deb [ arch=amd64 signed-by=/a.gpg ] http://ftp.example.org/debian/ bookworm main contrib
deb cdrom:[Debian 12]/ bookworm main
deb mirror+file:/etc/apt/mirrors.txt bookworm main
`;

const systemSources = `deb http://deb.example.org/debian bookworm main contrib
deb http://deb.example.org/debian bookworm-updates main
deb http://security.example.org/debian-security bookworm-security main
deb https://packages.example.com/debian/12/prod bookworm main
deb https://download.example.com/linux/debian bookworm stable
deb https://apt.example.org/debian bookworm-pgdg main
deb https://mirror.example.org/pub/debian/ bookworm main
`;

const stanzas = `Types: deb
URIs: http://deb.example.org/debian
Suites: bookworm bookworm-updates
Components: main

Types: deb
URIs: http://deb.example.org/debian-security
Suites: bookworm-security bookworm
Components: main
`;

const aptMirrors = `https://deb.example.org/debian/\tpriority:1\ttype:index
# comment
http://ftp.example.org/debian/\tpriority:2
ftp://ftp.example.org/debian/
`;

const pacmanList = `## Worldwide
#Server = https://comment.example.org/archlinux/$repo/os/$arch
Server = https://a.example.org/archlinux/$repo/os/$arch
Server=http://b.example.org/$arch/$repo
Server = https://c.example.org/repo/stable
CacheServer = http://10.0.0.1/cache
Server = rsync://r.example.org/archlinux/$repo/os/$arch
`;

const plain = `# mirrors

https://a.example.org/x
https://B.example.org:443/y/../y  # normal form
ftp://a.example.org/x
https://a.example.org/x//
https://user:secret@a.example.org/y
http://b.example.org
`;

function read(text: string) {
  return collectMirrors(findFormat("list", text).parse(text).entries);
}

test.each<[ListFormat["name"], string]>([
  ["apt", sources],
  ["apt", sourcesList],
  ["apt", aptMirrors],
  ["pacman", pacmanList],
  ["pacman", "#Server = https://a.example.org/$repo/os/$arch\n"],
  ["urls", plain],
  ["urls", "  HTTPS://a.example.org/"],
])("%s is the format of %j, by its content", (name, text) => {
  expect(findFormat("list", text).name).toBe(name);
  expect(findFormat("list", text.replaceAll("\n", "\r\n")).name).toBe(name);
});

test.each(["", "hello", "{}", "\0\0", "# https://a.example.org", "<html>https://a.example.org"])(
  "%j is of no format",
  (text) => {
    expect(() => findFormat("x.txt", text)).toThrow(
      new InputError("x.txt is not a list of mirrors that mirrorfeed recognizes; write one URL a line."),
    );
  },
);

const urlNote = (line: number, scheme: string): unknown =>
  expect.stringMatching(
    new RegExp(`^${line} left out, since its URL .*"${scheme}"; only http and https are probed$`),
  );

const otherArchive = (line: number, first: number): string =>
  `${line} left out, since its URL belongs to another archive than line ${first}; import it from a separate list, with another --to`;

describe("the mirrors of a list", () => {
  test.each<[string, string[], unknown[]]>([
    [sources, ["https://deb.example.org/debian", "http://ftp.example.org/debian/"], []],
    [
      sourcesList,
      ["https://deb.example.org/debian", "http://ftp.example.org/debian/"],
      [urlNote(5, "cdrom"), urlNote(6, String.raw`mirror\+file`)],
    ],
    [
      systemSources,
      ["http://deb.example.org/debian", "https://mirror.example.org/pub/debian/"],
      [3, 4, 5, 6].map((line) => otherArchive(line, 1)),
    ],
    [stanzas, ["http://deb.example.org/debian"], [otherArchive(7, 2)]],
    [aptMirrors, ["https://deb.example.org/debian/", "http://ftp.example.org/debian/"], [urlNote(4, "ftp")]],
    [
      pacmanList,
      ["https://a.example.org/archlinux/", "http://b.example.org/", "https://c.example.org/repo/stable"],
      [urlNote(7, "rsync")],
    ],
    [
      plain,
      ["https://a.example.org/x", "https://b.example.org/y", "http://b.example.org"],
      [urlNote(5, "ftp"), expect.stringMatching(/^7 left out, since its URL contains credentials/)],
    ],
  ])("%j are each once, and a note tells what is left out", (text, found, notes) => {
    for (const written of [text, text.replaceAll("\n", "\r\n")]) {
      const list = read(written);
      expect(list.mirrors.map(({ url }) => url)).toEqual(found);
      expect(list.notes.map(({ line, message }) => `${line} ${message}`)).toEqual(notes);
    }
  });

  test("have no password in their notes", () => {
    expect(JSON.stringify(read("ftp://user:secret@a.example.org/").notes)).not.toContain("secret");
  });
});

const database = { kind: "pacman", pacman: { database: "core/x86_64/core.db" } };

test.each<[string, object | undefined]>([
  [sources, { kind: "apt", apt: { suite: "trixie" } }],
  [sourcesList, { kind: "apt", apt: { suite: "bookworm" } }],
  [
    "deb cdrom:[Debian 12]/ bookworm main\ndeb https://a.example.org/x trixie main",
    { kind: "apt", apt: { suite: "trixie" } },
  ],
  ["deb https://a.example.org/x ./", { kind: "apt", apt: { suite: "./" } }],
  [aptMirrors, { kind: "apt" }],
  [pacmanList, { kind: "pacman" }],
  ["Server = https://a.example.org/stable/$repo/$arch", database],
  ["Server = https://a.example.org/$arch", { kind: "pacman" }],
  [plain, undefined],
])("the mirrors of %j are probed as it tells", (text, probe) => {
  expect(findFormat("list", text).parse(text).probe).toEqual(probe);
});

test.each(["apt", "pacman"] as const)("the list for %s that a feed has is read again", (name) => {
  const [list] = kinds[name].lists ?? [];
  const mirrorAt = (url: string) => ({ url, status: 1 as const, freshness: "in_sync" as const, options: {} });
  const primary = mirrorAt("https://a.example.org/x/");
  const mirrors = [primary, mirrorAt("http://b.example.org/x/")];
  const text = list?.render({
    ...{ place: "s/p/t", mirrors, primary },
    ...{ checkedAt: "2026-03-10T12:00:00.000Z", intervalMinutes: 30 },
  });
  expect(findFormat("list", text ?? "").name).toBe(name);
  expect(read(text ?? "").mirrors).toEqual(mirrors.map(({ url }) => ({ url })));
});

test("a list of a megabyte in one line is read", () => {
  const long = 1024 * 1024;
  expect(read(`Types: deb\nURIs: ${"https://a.example.org/x ".repeat(long / 8)}`).mirrors).toHaveLength(1);
  for (const start of ["Server = https://a.example.org/", "deb ", "https://a.example.org/"])
    for (const character of [" ", "\r", "#", "$", "/", "a", "\t", "["])
      expect(read(`${start}${character.repeat(long)}x`).mirrors.length).toBeLessThan(2);
});
