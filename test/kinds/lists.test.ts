import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type KindName, kindNames, kinds } from "../../src/kinds/kinds.ts";
import type { ListedMirror, ListInput, MirrorList } from "../../src/kinds/kind.ts";
import { urlProblem } from "../../src/base/text/url.ts";
import { parseXml } from "../support/xml.ts";
import { XmlElement } from "@rgrove/parse-xml";
import { trials } from "../support/trials.ts";
import { anyWebUrl } from "../support/any-url.ts";

function listOf(kind: KindName): MirrorList {
  const [list] = kinds[kind].lists ?? [];
  if (list === undefined) throw new Error(`${kind} has no list`);
  return list;
}

const aptList = listOf("apt");
const gitList = listOf("git");
const metalink = listOf("rpm");
const metalink4 = listOf("http");
const pacmanList = listOf("pacman");

function listed(url: string, more: Partial<ListedMirror> = {}): ListedMirror {
  return { url, status: 1, options: {}, ...more };
}

/** Renders a list of mirrors at these URLs, the first of which is the primary. */
function render(list: MirrorList, mirrors: readonly ListedMirror[], more: Partial<ListInput> = {}): string {
  const [primary] = mirrors;
  if (primary === undefined) throw new Error("a list has a mirror");
  return list.render({ place: "s/p/t", mirrors, primary, ...more });
}

const [one, two] = ["https://a.example.org/r", "https://b.example.org/r"];

test("no two lists have one extension", () => {
  const lists = kindNames.flatMap((kind) => kinds[kind].lists ?? []);
  const extensions = lists.map(({ extension }) => extension);
  expect(new Set([...extensions, "txt"]).size).toBe(extensions.length + 1);
  for (const extension of extensions) expect(extension).toMatch(/^[a-z][a-z0-9]*$/);
});

describe("the list for apt", () => {
  test("has a priority for each mirror, since apt would choose at random", () => {
    expect(render(aptList, [listed(`${one}//`), listed(two)])).toBe(
      `${one}/\tpriority:1\n${two}/\tpriority:2\n`,
    );
  });

  test("is used with the suite of the target", () => {
    const line = (options: object) => aptList.usage?.line("https://f/l.list", { ...options });
    expect(line({})).toBe("deb mirror+https://f/l.list stable main");
    expect(line({ suite: "./" })).toBe("deb mirror+https://f/l.list ./");
  });
});

describe("the list for pacman", () => {
  test.each([
    [undefined, "$repo/os/$arch"],
    ["core/os/x86_64/core.db", "$repo/os/$arch"],
    ["aarch64/alarm/alarm.db", "$arch/$repo"],
    ["stable/extra/x86_64/extra.db", "stable/$repo/$arch"],
    ["repo/x86_64_v3/tools/tools.db", "repo/$arch_v3/$repo"],
    ["x86_64/tools.db", "$arch"],
    ["x86_64_backup/tools.db", "x86_64_backup"],
  ])("of a database at %s has the layout %s", (database, layout) => {
    const options = database === undefined ? {} : { database };
    expect(render(pacmanList, [listed(`${one}/`, { options })])).toBe(`Server = ${one}/${layout}\n`);
  });

  test("names a single repository as it is, and keeps a dollar of the URL out of the hands of pacman", () => {
    const options = { database: "tools.db" };
    expect(render(pacmanList, [listed("https://a.example.org/$repo/", { options })])).toBe(
      "Server = https://a.example.org/%24repo\n",
    );
  });
});

describe("the settings for Git", () => {
  test("replace the other mirrors with and without .git, and leave pushes alone", () => {
    expect(render(gitList, [listed(`${one}/`), listed(`${two}.git`)])).toBe(
      [
        "# The best mirror of s/p/t, for include.path of Git.",
        `[url "${one}"]`,
        `\tinsteadOf = "${two}"`,
        `\tinsteadOf = "${two}.git"`,
        `[url "${two}"]`,
        `\tpushInsteadOf = "${two}"`,
        `[url "${two}.git"]`,
        `\tpushInsteadOf = "${two}.git"`,
        "",
      ].join("\n"),
    );
  });

  test("are none if no mirror is online, or if there is one alone", () => {
    const down = render(gitList, [listed(one, { status: 0 }), listed(two, { status: 0 })]);
    expect(down).toBe(
      "# The best mirror of s/p/t, for include.path of Git: none is online, so Git uses each URL as it is.\n",
    );
    expect(render(gitList, [listed(one)])).toBe("# The best mirror of s/p/t, for include.path of Git.\n");
    expect(render(gitList, [listed(one), listed(`${one}.git`)])).not.toContain("[");
  });
});

const index = { size: 4303, sha256: "a".repeat(64), sha512: "b".repeat(128) };
const content_at = "2026-03-08T10:00:00.999Z";

describe("the metalink for dnf", () => {
  test("has the digests of the reference and of what it had before, and the mirrors in order", () => {
    const former = [{ size: 1, sha256: "c".repeat(64), content_at: "2026-03-07T10:00:00Z" }, { size: 2 }];
    const text = render(metalink, [listed(one, { country: "DE" }), listed("http://c.example.org/?")], {
      reference: { ...index, content_at },
      former,
    });
    expect(text).toBe(`<?xml version="1.0" encoding="utf-8"?>
<metalink version="3.0" xmlns="http://www.metalinker.org/" xmlns:mm0="http://fedorahosted.org/mirrormanager" type="dynamic">
 <files>
  <file name="repomd.xml">
   <mm0:timestamp>1772964000</mm0:timestamp>
   <size>4303</size>
   <verification>
    <hash type="sha256">${index.sha256}</hash>
    <hash type="sha512">${index.sha512}</hash>
   </verification>
   <mm0:alternates>
    <mm0:alternate>
     <mm0:timestamp>1772877600</mm0:timestamp>
     <size>1</size>
     <verification>
      <hash type="sha256">${"c".repeat(64)}</hash>
     </verification>
    </mm0:alternate>
   </mm0:alternates>
   <resources maxconnections="1">
    <url protocol="https" type="https" location="DE" preference="100">${one}/repodata/repomd.xml</url>
    <url protocol="http" type="http" preference="99">http://c.example.org/repodata/repomd.xml</url>
   </resources>
  </file>
 </files>
</metalink>
`);
  });

  test("is a list of mirrors while nothing is known of the reference", () => {
    const text = render(metalink, [listed(one)]);
    expect(text).not.toMatch(/size|hash|verification|alternate|timestamp/);
    expect(text).toContain(`${one}/repodata/repomd.xml`);
  });

  test("has a preference from 1 to 100 for any number of mirrors", () => {
    const many = Array.from({ length: 300 }, (_, place) => listed(`https://m${place}.example.org/`));
    const found = [...render(metalink, many).matchAll(/preference="(\d+)"/g)].map(([, value]) =>
      Number(value),
    );
    expect([found.length, Math.max(...found), Math.min(...found), found[1]]).toEqual([300, 100, 1, 99]);
  });
});

describe("the metalink of a file", () => {
  const options = { content: { sha256: "reference" } };
  const file = listed(`${one}/os-1.0.iso`, { options, country: "DE" });

  test("has the size and the digest of the reference, and the mirrors by priority", () => {
    const text = render(metalink4, [file, listed(`${two}/os.iso?a=1&b='2'`, { options })], {
      reference: index,
    });
    expect(text).toBe(`<?xml version="1.0" encoding="utf-8"?>
<metalink xmlns="urn:ietf:params:xml:ns:metalink">
  <file name="os-1.0.iso">
    <size>4303</size>
    <hash type="sha-256">${index.sha256}</hash>
    <url location="de" priority="1">${one}/os-1.0.iso</url>
    <url priority="2">${two}/os.iso?a=1&amp;b='2'</url>
  </file>
</metalink>
`);
  });

  test("has the digest of mirrors.json before anything is known", () => {
    const given = { content: { sha256: "d".repeat(64) } };
    expect(render(metalink4, [listed(one, { options: given })])).toContain(
      `<hash type="sha-256">${"d".repeat(64)}</hash>`,
    );
    expect(render(metalink4, [file])).not.toContain("hash");
  });

  test("leaves out mirrors of other content while one has the right content", () => {
    const right = { ...file, revision: index.sha256.slice(0, 32) };
    const stale = listed(two, { options, revision: "e".repeat(32) });
    const unknown = listed("https://c.example.org/", { options });
    const down = { ...right, status: 0 as const };
    const urls = (...mirrors: ListedMirror[]): number =>
      render(metalink4, mirrors, { reference: index }).match(/<url/g)?.length ?? 0;
    expect([urls(right, stale), urls(unknown, stale), urls(down, stale)]).toEqual([1, 1, 2]);
    expect(render(metalink4, [right, stale])).toContain(two);
  });

  test("has what is declared of a file that is not read, says so, and leaves out mirrors of another size", () => {
    const declared = { content: { sha256: "d".repeat(64), size: 5_368_709_120 } };
    const mirror = (url: string, more: Partial<ListedMirror> = {}) =>
      listed(url, { options: declared, ...more });
    const text = render(metalink4, [mirror(one), mirror(two, { content_code: "wrong_size" })], {
      reference: index,
    });
    expect(text).toContain("<!-- The size and the digest are declared");
    expect(text).toContain(`<size>5368709120</size>\n    <hash type="sha-256">${"d".repeat(64)}</hash>`);
    expect(text).not.toContain(two);
    expect(render(metalink4, [file], { reference: index })).not.toContain("declared");
    const at = "2026-03-08T10:00:00.000Z";
    const timed = (best: string, other: string) =>
      render(metalink4, [mirror(one, { revision: best }), mirror(two, { revision: other })]).includes(two);
    expect([timed(at, at), timed(at, "2026-03-01T10:00:00.000Z")]).toEqual([true, false]);
  });

  test("exists for mirrors whose digest is compared", () => {
    const isFor = metalink4.isFor ?? (() => true);
    expect([{}, { content: { text: "a" } }, { content: "sha256" }, options].map(isFor)).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  test.each([
    ["https://a.example.org/dir/", "t"],
    ["https://a.example.org/", "t"],
    ["https://a.example.org/%2e%2e%2fetc%2fpasswd", "t"],
    ["https://a.example.org/..%5cx", "t"],
    ["https://a.example.org/.bashrc", "t"],
    ["https://a.example.org/-rf", "t"],
    ["https://a.example.org/%00", "t"],
    ["https://a.example.org/a%0Ab", "t"],
    ["https://a.example.org/%E0%A4%A", "%E0%A4%A"],
    ["https://a.example.org/a%26b%22.iso", "t"],
    ["https://a.example.org/a&b%27.iso", "a&amp;b'.iso"],
    ["https://a.example.org/caf%C3%A9.iso?x", "café.iso"],
  ])("of %s names the file %s", (url, name) => {
    expect(render(metalink4, [listed(url, { options })])).toContain(`<file name="${name}">`);
  });
});

/** Any URL that a configuration may have. */
const anyUrl = fc
  .tuple(anyWebUrl, fc.string({ maxLength: 20 }))
  .map(([url, more]) => (URL.canParse(url + more) ? new URL(url + more).href.replace(/#.*/s, "") : url))
  .filter((url) => urlProblem(url) === undefined);

const anyMirror = fc.record({
  url: anyUrl,
  status: fc.constantFrom(0 as const, 1 as const),
  revision: fc.constantFrom(undefined, "a".repeat(32), "e".repeat(32)),
  country: fc.constantFrom(undefined, "DE"),
  options: fc.constantFrom({}, { content: { sha256: "reference" } }, { database: "x86_64/a.db" }),
});

describe("for any mirrors", () => {
  const mirrorsOf = fc.array(anyMirror, { minLength: 1, maxLength: 5 });

  test("the lists of lines have one line each, in order", () => {
    fc.assert(
      fc.property(mirrorsOf, (mirrors) => {
        for (const [list, line] of [
          [aptList, /^(?<url>https?:\/\/[!-~]+\/)\tpriority:\d+$/],
          [pacmanList, /^Server = (?<url>https?:\/\/[!-~]+)$/],
        ] as const) {
          const lines = render(list, mirrors).trimEnd().split("\n");
          expect(lines.length).toBe(mirrors.length);
          lines.forEach((text, place) => {
            const found = line.exec(text)?.groups?.["url"] ?? "";
            const host = new URL(mirrors[place]?.url ?? "").host;
            expect(new URL(found).host).toBe(host);
          });
        }
      }),
      { numRuns: trials(200) },
    );
  });

  test("the metalinks are well-formed, and their URLs are those of the mirrors", () => {
    const urlsIn = ({ name, children, text }: XmlElement): string[] =>
      name === "url"
        ? [text]
        : children.flatMap((child) => (child instanceof XmlElement ? urlsIn(child) : []));
    fc.assert(
      fc.property(mirrorsOf, (mirrors) => {
        const found = urlsIn(parseXml(render(metalink, mirrors)));
        expect(found.length).toBe(mirrors.length);
        found.forEach((url, place) => {
          expect(new URL(url).host).toBe(new URL(mirrors[place]?.url ?? "").host);
        });
        const files = urlsIn(parseXml(render(metalink4, mirrors, { reference: index })));
        expect(files.length).toBeGreaterThan(0);
        for (const url of files) expect(mirrors.map((mirror) => mirror.url)).toContain(url);
      }),
      { numRuns: trials(200) },
    );
  });
});
