import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/core/base/errors.ts";
import { readMirrors } from "../../../src/features/add/load-mirrors.ts";
import { kindNames, kinds } from "../../../src/core/kinds/kinds.ts";

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
deb cdrom:[Debian 12]/ bookworm main
deb [signed-by=/a.gpg] https://deb.example.org/debian bookworm main
deb-src https://deb.example.org/debian bookworm main
deb [ arch=amd64 signed-by=/a.gpg ] http://ftp.example.org/debian/ bookworm main contrib
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

/** As MirrorManager writes it. */
const rpmMetalink = `<?xml version="1.0" encoding="utf-8"?>
<metalink version="3.0" xmlns="http://www.metalinker.org/" type="dynamic" pubdate="Fri, 27 Nov 2026 10:00:00 GMT" generator="mirrormanager" xmlns:mm0="http://fedorahosted.org/mirrormanager">
 <files>
  <file name="repomd.xml">
   <mm0:timestamp>1772971200</mm0:timestamp>
   <size>7200</size>
   <verification><hash type="sha256">${"a".repeat(64)}</hash></verification>
   <resources maxconnections="1">
    <url protocol="https" type="https" location="DE" preference="100">https://a.example.org/fedora/41/x86_64/os/repodata/repomd.xml</url>
    <url protocol="rsync" type="rsync" location="DE" preference="100">rsync://a.example.org/fedora/41/x86_64/os/repodata/repomd.xml</url>
    <url protocol="http" type="http" location="FR" preference="99">http://b.example.org/x?a=1&amp;b=2</url>
   </resources>
  </file>
 </files>
</metalink>
`;

const fileMetalink = `<metalink xmlns="urn:ietf:params:xml:ns:metalink">
  <file name="a.iso">
    <size>7</size>
    <hash type="sha-256">${"b".repeat(64)}</hash>
    <url location="de" priority="1">https://a.example.org/a.iso</url>
    <url>ftp://b.example.org/a.iso</url>
  </file>
  <file name="b.iso"><url>https://a.example.org/b.iso</url></file>
</metalink>
`;

const archStatus = JSON.stringify({
  cutoff: 86_400,
  urls: ["https", "rsync"].map((protocol) => ({
    url: `${protocol}://a.example.org/archlinux/`,
    ...{ protocol, last_sync: null, active: true, country: "Germany", country_code: "DE" },
  })),
  version: 3,
});

const cranMirrors = `Name,Country,City,URL,Host,Maintainer,OK,CountryCode,Comment
"0-Cloud [https]",0-Cloud,0-Cloud,https://a.example.org/,"Automatic redirection, worldwide","winston # example.org",1,us,
"USA (NC)",USA,"Chapel Hill",http://b.example.org/CRAN/,,"""Nancy"" <n@example.org>",1,us,"a, b"
Old,Old,Old,https://old.example.org/,Old,old@example.org,0,us,
`;

const masterlist = `Site: a.example.org
Country: NL Netherlands
Archive-architecture: amd64 arm64
Archive-http: /debian/
Archive-rsync: debian/
CDImage-http: /debian-cd/

Site: b.example.org
Archive-http: /debian
Archive-https: /pub/debian/

Site: cd.example.org
CDImage-http: /debian-cd/
`;

const read = (text: string) => readMirrors("list", text);

test.each([
  "",
  "hello",
  "{}",
  '{"urls":[{}]}',
  "<metalink>",
  "<metalink/>",
  "\0\0",
  "# https://a.example.org",
  "<html>https://a.example.org",
])("%j is of no format", (text) => {
  expect(() => readMirrors("x.txt", text)).toThrow(
    new InputError("x.txt is not a list of mirrors that mirrorfeed recognizes; write one URL a line."),
  );
});

const schemeNote = (scheme: string): unknown =>
  expect.stringMatching(`^the URL .* has the scheme "${scheme}"; only http and https are probed$`);

const otherArchive = (url: string): string =>
  `the URL "${url}" belongs to another archive than "http://deb.example.org/debian"; import it from a separate list, with another --to`;

const debian = ["https://deb.example.org/debian", "http://ftp.example.org/debian/"];
const otherArchives = [
  "http://security.example.org/debian-security",
  "https://packages.example.com/debian/12/prod",
  "https://download.example.com/linux/debian",
  "https://apt.example.org/debian",
].map(otherArchive);
const stanzaNotes = [otherArchive("http://deb.example.org/debian-security")];
const systemUrls = ["http://deb.example.org/debian", "https://mirror.example.org/pub/debian/"];
const masterUrls = ["http://a.example.org/debian/", "https://b.example.org/pub/debian/"];
const pacmanUrls = [
  "https://a.example.org/archlinux/",
  "http://b.example.org/",
  "https://c.example.org/repo/stable",
];
const rpmUrls = ["https://a.example.org/fedora/41/x86_64/os/", "http://b.example.org/x?a=1&b=2"];
const cranUrls = ["https://a.example.org/", "http://b.example.org/CRAN/"];
const plainUrls = ["https://a.example.org/x", "https://b.example.org/y", "http://b.example.org/"];
const [cdrom, ftp, rsync] = ["cdrom", "ftp", "rsync"].map(schemeNote);
const plainNotes = [ftp, expect.stringMatching(/^the URL contains credentials/)];
const apt = (suite: string) => ({ kind: "apt", apt: { suite } });
const database = { kind: "pacman", pacman: { database: "core/x86_64/core.db" } };
const content = { sha256: "b".repeat(64), size: 7 };

describe("the mirrors of a list", () => {
  test.each<[format: string, text: string, probe: object | undefined, urls: string[], notes?: unknown[]]>([
    ["apt", sources, apt("trixie"), debian],
    ["apt", sourcesList, apt("bookworm"), debian, [cdrom, schemeNote(String.raw`mirror\+file`)]],
    ["apt", systemSources, apt("bookworm"), systemUrls, otherArchives],
    ["apt", stanzas, apt("bookworm"), ["http://deb.example.org/debian"], stanzaNotes],
    ["apt", aptMirrors, { kind: "apt" }, debian.map((url) => url.replace(/\/?$/, "/")), [ftp]],
    ["apt", "deb https://a.example.org/x ./", apt("./"), ["https://a.example.org/x"]],
    ["masterlist", masterlist, { kind: "apt" }, masterUrls],
    ["pacman", pacmanList, { kind: "pacman" }, pacmanUrls, [rsync]],
    ["pacman", "Server = https://a.example.org/a/$repo/$arch", database, ["https://a.example.org/a/"]],
    ["pacman", "Server = https://a.example.org/$arch", { kind: "pacman" }, ["https://a.example.org/"]],
    ["urls", plain, undefined, plainUrls, plainNotes],
    ["urls", "  HTTPS://a.example.org/", undefined, ["https://a.example.org/"]],
    ["metalink", rpmMetalink, { kind: "rpm" }, rpmUrls, [rsync]],
    ["metalink", fileMetalink, { kind: "http", http: { content } }, ["https://a.example.org/a.iso"], [ftp]],
    ["arch", archStatus, { kind: "pacman" }, ["https://a.example.org/archlinux/"], [rsync]],
    ["cran", cranMirrors, { kind: "index", index: { format: "cran" } }, cranUrls],
  ])(
    "of the format %s are each once, and a note tells what is left out: %j",
    (format, text, probe, urls, notes = []) => {
      const mirrors = urls.map((url) => ({ url }));
      for (const written of [text, text.replaceAll("\n", "\r\n")])
        expect(read(written)).toEqual({ format, mirrors, notes, probe });
    },
  );

  test("have no password in their notes", () => {
    const list = "ftp://user:secret@a.example.org/\nhttps://a.example.org/x";
    expect(JSON.stringify(read(list).notes)).not.toContain("secret");
  });
});

test("every list that a feed has is read again", () => {
  const content = { sha256: "reference" };
  const mirrorAt = (url: string) => ({
    ...{ url, status: 1 as const, state: "online" as const, freshness: "in_sync" as const },
    options: { content },
  });
  const primary = mirrorAt("https://a.example.org/x/");
  const mirrors = [primary, mirrorAt("http://b.example.org/x/")];
  const formats = kindNames.flatMap((kind) =>
    (kinds[kind].lists ?? []).map((list) => {
      const text = list.render({
        ...{ place: "s/p/t", mirrors, primary, reference: { size: 3, sha256: "c".repeat(64) } },
        ...{ checkedAt: "2026-03-10T12:00:00.000Z", intervalMinutes: 30, comment: "Out of date." },
      });
      const { format, mirrors: found, probe } = read(text);
      expect([found, probe?.kind]).toEqual([mirrors.map(({ url }) => ({ url })), kind]);
      return `${kind}: ${format}`;
    }),
  );
  expect(formats).toEqual(["apt: apt", "http: metalink", "pacman: pacman", "pacman: arch", "rpm: metalink"]);
});

test("a list of a megabyte in one line is read", () => {
  const long = 1024 * 1024;
  const countOf = (text: string): number => {
    try {
      return read(text).mirrors.length;
    } catch (error) {
      if (error instanceof InputError) return 0;
      throw error;
    }
  };
  expect(read(`Types: deb\nURIs: ${"https://a.example.org/x ".repeat(long / 8)}`).mirrors).toHaveLength(1);
  for (const start of ["Server = https://a.example.org/", "deb ", "https://a.example.org/"])
    for (const character of [" ", "\r", "#", "$", "/", "a", "\t", "[", ",", '"', ',"'])
      expect(countOf(`${start}${character.repeat(long)}x`)).toBeLessThan(2);
});
