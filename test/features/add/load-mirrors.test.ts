import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { type FormatName, formatNames } from "../../../src/features/add/list-format.ts";
import { findFormat, formats, collectMirrors } from "../../../src/features/add/load-mirrors.ts";
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
deb [signed-by=/k/gitlab.gpg] https://packages.example.net/gitlab/debian bookworm main
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

function read(name: FormatName, text: string) {
  return collectMirrors(formats[name].parse(text, "list"));
}

function urlsOf(name: FormatName, text: string): string[] {
  return read(name, text).mirrors.map(({ url }) => url);
}

test.each<[FormatName, string, string]>([
  ["apt", "debian.sources", sources],
  ["apt", "sources.list", sourcesList],
  ["apt", "mirrors.txt", aptMirrors],
  ["pacman", "mirrorlist", pacmanList],
  ["pacman", "mirrorlist", "#Server = https://a.example.org/$repo/os/$arch\n"],
  ["urls", "list.txt", plain],
  ["urls", "list.txt", "  HTTPS://a.example.org/"],
])("%s is the format of %s, by its content", (name, file, text) => {
  expect(findFormat(file, text)).toBe(name);
  expect(findFormat(file, text.replaceAll("\n", "\r\n"))).toBe(name);
});

test.each(["", "hello", "{}", "\0\0", "# https://a.example.org", "<html>https://a.example.org"])(
  "%j is of no format, and the sentence names all of them",
  (text) => {
    expect(() => findFormat("x.txt", text)).toThrow(
      new InputError(
        "x.txt is not a list of mirrors that mirrorfeed recognizes; name its format with --format pacman, apt or urls.",
      ),
    );
  },
);

const urlNote = (line: number, scheme: string): unknown =>
  expect.stringMatching(
    new RegExp(`^${line} left out, since its URL .*"${scheme}"; only http and https are probed$`),
  );

describe("the mirrors of a list", () => {
  test.each<[FormatName, string, string[], unknown[]]>([
    [
      "apt",
      sources,
      ["https://deb.example.org/debian", "http://ftp.example.org/debian/"],
      ["11 left out, since its source is disabled"],
    ],
    [
      "apt",
      sourcesList,
      ["https://deb.example.org/debian", "http://ftp.example.org/debian/"],
      [urlNote(5, "cdrom"), urlNote(6, String.raw`mirror\+file`)],
    ],
    [
      "apt",
      "deb https://a.example.org/x a main\ndeb https://b.example.org/x a-security main\ndeb https://a.example.org/x b main",
      ["https://a.example.org/x"],
      [
        '2 left out, since its archive is not the one on line 1 (suites "a-security", not "a"); put this source in a separate list, and import it with another --to',
      ],
    ],
    [
      "apt",
      systemSources,
      ["http://deb.example.org/debian", "https://mirror.example.org/pub/debian/"],
      [
        [3, 'path "debian-security", not "debian"'],
        [4, 'path "prod", not "debian"'],
        [5, 'components "stable", not "main contrib"'],
        [6, 'signed-by "/k/gitlab.gpg", not none'],
        [7, 'suites "bookworm-pgdg", not "bookworm"'],
      ].map(
        ([line, difference]) =>
          `${line} left out, since its archive is not the one on line 1 (${difference}); put this source in a separate list, and import it with another --to`,
      ),
    ],
    [
      "apt",
      stanzas,
      ["http://deb.example.org/debian"],
      [
        '7 left out, since its archive is not the one on line 2 (path "debian-security", not "debian"); put this source in a separate list, and import it with another --to',
      ],
    ],
    [
      "apt",
      aptMirrors,
      ["https://deb.example.org/debian/", "http://ftp.example.org/debian/"],
      [urlNote(4, "ftp")],
    ],
    [
      "pacman",
      pacmanList,
      ["https://a.example.org/archlinux/", "http://b.example.org/", "https://c.example.org/repo/stable"],
      [urlNote(7, "rsync")],
    ],
    [
      "urls",
      plain,
      ["https://a.example.org/x", "https://b.example.org/y", "http://b.example.org"],
      [
        urlNote(5, "ftp"),
        "6 left out, since it repeats the mirror on line 3",
        expect.stringMatching(/^7 left out, since its URL contains credentials/),
      ],
    ],
  ])("of %s are each once, and a note tells what is odd or left out: %s", (format, text, found, notes) => {
    const list = read(format, text);
    expect(list.mirrors.map(({ url }) => url)).toEqual(found);
    expect(list.notes.map(({ line, message }) => `${line} ${message}`)).toEqual(notes);
  });

  test("have no password in their notes", () => {
    expect(JSON.stringify(read("urls", "ftp://user:secret@a.example.org/").notes)).not.toContain("secret");
  });
});

const database = { kind: "pacman", pacman: { database: "core/x86_64/core.db" } };

test.each<[FormatName, string, object | undefined]>([
  ["apt", sources, { kind: "apt", apt: { suite: "trixie" } }],
  ["apt", sourcesList, { kind: "apt", apt: { suite: "bookworm" } }],
  [
    "apt",
    "deb cdrom:[Debian 12]/ bookworm main\ndeb https://a.example.org/x trixie main",
    { kind: "apt", apt: { suite: "trixie" } },
  ],
  ["apt", "deb https://a.example.org/x ./", { kind: "apt", apt: { suite: "./" } }],
  ["apt", aptMirrors, { kind: "apt" }],
  ["pacman", pacmanList, { kind: "pacman" }],
  ["pacman", "Server = https://a.example.org/stable/$repo/$arch", database],
  ["pacman", "Server = https://a.example.org/$arch", { kind: "pacman" }],
  ["urls", plain, undefined],
])("the mirrors of a list of %s are probed as it tells: %s", (name, text, probe) => {
  expect(formats[name].probe(text)).toEqual(probe);
});

test.each(["apt", "pacman"] as const)("the list for %s that a feed has is read again", (name) => {
  const [list] = kinds[name].lists ?? [];
  const [first, second] = ["https://a.example.org/x/", "http://b.example.org/x/"].map((url) => {
    return { url, status: 1 as const, freshness: "in_sync" as const, options: {} };
  });
  if (list === undefined || first === undefined || second === undefined)
    throw new Error("There are two mirrors.");
  const text = list.render({
    ...{ place: "s/p/t", mirrors: [first, second], primary: first },
    ...{ checkedAt: "2026-03-10T12:00:00.000Z", intervalMinutes: 30 },
  });
  expect(findFormat("list", text)).toBe(name);
  expect(urlsOf(name, text)).toEqual([first.url, second.url]);
});

test("a list of a megabyte in one line is read", () => {
  const long = 1024 * 1024;
  expect(urlsOf("apt", `Types: deb\nURIs: ${"https://a.example.org/x ".repeat(long / 8)}`)).toEqual([
    "https://a.example.org/x",
  ]);
  for (const start of ["", "Server = https://a.example.org/", "deb ", "https://a.example.org/"])
    for (const character of [" ", "\r", "#", "$", "/", "a", "\t", "["]) {
      const line = `${start}${character.repeat(long)}x`;
      const name = formatNames.find((one) => formats[one].isLike(line)) ?? "urls";
      expect(read(name, line).mirrors.length).toBeLessThan(2);
    }
});
