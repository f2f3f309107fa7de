import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import { type KindName, kindNames, kinds } from "../../../src/core/kinds/kinds.ts";
import type { ListedMirror, ListInput, MirrorList } from "../../../src/core/kinds/kind.ts";
import { urlProblem } from "../../../src/core/base/text/url.ts";
import { parseXml } from "../../support/xml.ts";
import { XmlElement } from "@rgrove/parse-xml";
import { trials } from "../../support/trials.ts";
import { anyWebUrl } from "../../support/any-url.ts";

function listOf(kind: KindName, index = 0): MirrorList {
  const list = kinds[kind].lists?.[index];
  if (list === undefined) throw new Error(`${kind} has no list`);
  return list;
}

const aptList = listOf("apt");
const metalink = listOf("rpm");
const metalink4 = listOf("http");
const pacmanList = listOf("pacman");
const mirrorStatus = listOf("pacman", 1);

function listed(url: string, more: Partial<ListedMirror> = {}): ListedMirror {
  return { url, status: 1, options: {}, ...more };
}

/** Renders a list of these mirrors, of which the first is the primary. */
function render(list: MirrorList, mirrors: readonly ListedMirror[], more: Partial<ListInput> = {}): string {
  const [primary] = mirrors;
  if (primary === undefined) throw new Error("a list has a mirror");
  const times = { checkedAt, intervalMinutes: 30 };
  return list.render({ place: "s/p/t", mirrors, primary, comment, ...times, ...more });
}

const checkedAt = "2026-03-10T12:00:00.000Z";
const comment = "Out of date after noon.";

const [one, two] = ["https://a.example.org/r", "https://b.example.org/r"];

test("each list has a different extension", () => {
  const lists = kindNames.flatMap((kind) => kinds[kind].lists ?? []);
  const extensions = lists.map(({ extension }) => extension);
  expect(new Set([...extensions, "txt"]).size).toBe(extensions.length + 1);
  for (const extension of extensions) expect(extension).toMatch(/^[a-z][a-z0-9]*$/);
});

describe("the list for apt", () => {
  test("has a priority for each mirror, since apt would choose at random", () => {
    const list = `# ${comment}\n${one}/\tpriority:1\n${two}/\tpriority:2\n`;
    expect(render(aptList, [listed(`${one}//`), listed(two)])).toBe(list);
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
    const list = `# ${comment}\nServer = ${one}/${layout}\n`;
    expect(render(pacmanList, [listed(`${one}/`, { options })])).toBe(list);
  });

  test("names a single repository as it is, and hides a dollar in the URL from pacman", () => {
    const options = { database: "tools.db" };
    expect(render(pacmanList, [listed("https://a.example.org/$repo/", { options })])).toBe(
      `# ${comment}\nServer = https://a.example.org/%24repo\n`,
    );
  });
});

/** What reflector, rate-mirrors and archinstall (lib/models/mirrors.py) expect of the values that may be missing. */
const arch = z.object({
  urls: z.array(
    z.object({
      last_sync: z.string().nullable(),
      completion_pct: z.number().min(0).max(1).nullable(),
      delay: z.int().min(0).nullable(),
      score: z.number().nullable(),
      active: z.boolean(),
    }),
  ),
});

function statusOf(mirrors: readonly ListedMirror[], more: Partial<ListInput> = {}) {
  return arch.parse(JSON.parse(render(mirrorStatus, mirrors, more))).urls;
}

describe("the mirror status for reflector", () => {
  const noon = "2026-03-10T12:00:00Z";
  const good = { state: "online", freshness: "in_sync", uptime: { "24h": { ratio: 1 } } } as const;
  const dated = (content_at: string) => ({ ...good, freshness: "unknown", content_at }) as const;
  const justBehind = { ...good, freshness: "behind", behind_since: "2026-03-10T12:30:00.000Z" } as const;

  test("says when each mirror was in sync, how good it is, and where it is", () => {
    const behind: Partial<ListedMirror> = {
      ...{ state: "behind", freshness: "behind", behind_since: "2026-03-10T06:00:00.123Z" },
      ...{ uptime: { "24h": { ratio: 0.5 } }, mean_latency_ms: 250, country: "DE" },
      families: { ipv4: "refused", ipv6: "ok" },
    };
    const mirrors = [listed(`${one}//`, good), listed("http://b.example.org/$repo", behind)];
    const more = { page: "https://status.example.org/status/s/p/t/", intervalMinutes: 60 };
    const text = render(mirrorStatus, mirrors, more);
    expect(JSON.parse(text)).toEqual({
      ...{ cutoff: 86_400, last_check: "2026-03-10T12:00:00Z", num_checks: 24, check_frequency: 3600 },
      urls: [
        {
          ...{ url: `${one}/`, protocol: "https", last_sync: "2026-03-10T12:00:00Z", completion_pct: 1 },
          ...{ delay: 0, duration_avg: null, duration_stddev: null, score: 0, active: true },
          ...{ country: "", country_code: "", isos: false, ipv4: false, ipv6: false, details: more.page },
        },
        {
          ...{ url: "http://b.example.org/%24repo/", protocol: "http", last_sync: "2026-03-10T06:00:00Z" },
          ...{ completion_pct: 0.5, delay: 21_600, duration_avg: 0.25, duration_stddev: null, score: 12.5 },
          ...{ active: true, country: "Germany", country_code: "DE", isos: false, ipv4: false, ipv6: true },
          details: more.page,
        },
      ],
      version: 3,
    });
  });

  // reflector needs completion_pct and score for every mirror with last_sync.
  test.each<[string, Partial<ListedMirror>, string | null]>([
    ["in sync", good, noon],
    ["of unknown freshness", { ...good, freshness: "unknown" }, null],
    ["of unknown freshness, with a date", dated("2026-03-09T14:00:00.000Z"), "2026-03-09T14:00:00Z"],
    ["with a date after the run", dated("2026-03-10T14:00:00.000Z"), noon],
    ["behind since less than an hour", justBehind, noon],
    ["that never answered a run", { ...good, uptime: { "24h": { ratio: 0 } } }, noon],
    ["in maintenance", { ...good, state: "maintenance" }, noon],
    ["in maintenance and offline", { ...good, state: "maintenance", status: 0 }, null],
    ["offline", { ...good, state: "offline", status: 0 }, null],
    ["with wrong content", { ...good, state: "wrong" }, null],
    ["of which nothing is known", { ...good, state: "unknown" }, null],
    ["without an observation in a day", { ...good, uptime: { "24h": { ratio: undefined } } }, null],
  ])("of a mirror %s has a score only with a time", (_name, seen, expected) => {
    const [{ last_sync, delay, score, completion_pct, active } = {}] = statusOf([listed(one, seen)]);
    expect(last_sync).toBe(expected);
    expect([delay, score].map((value) => value === null)).toEqual([expected === null, expected === null]);
    if (expected !== null) expect(completion_pct).not.toBeNull();
    expect(active).toBe(seen.state !== "maintenance");
  });

  test("is no later than the content that a mirror is missing, even if no run saw the mirror before", () => {
    const reference = { content_at: "2026-03-08T12:00:00.000Z" };
    const [{ last_sync, delay } = {}] = statusOf([listed(one, justBehind)], { reference });
    expect([last_sync, delay]).toEqual(["2026-03-08T12:00:00Z", 172_800]);
  });

  test("exists only for mirrors with Arch's layout", () => {
    expect(mirrorStatus.isFor?.({})).toBe(true);
    expect(mirrorStatus.isFor?.({ database: "extra/os/aarch64/extra.db" })).toBe(true);
    const others = ["example.db", "x86_64/example/example.db", "stable/core/x86_64/core.db"];
    expect(others.filter((database) => mirrorStatus.isFor?.({ database }))).toEqual([]);
  });
});

const index = { size: 4303, sha256: "a".repeat(64), sha512: "b".repeat(128) };
const content_at = "2026-03-08T10:00:00.999Z";

describe("the metalink for dnf", () => {
  test("has the digests of the reference's current and earlier content, and the mirrors in order", () => {
    const former = [{ size: 1, sha256: "c".repeat(64), content_at: "2026-03-07T10:00:00Z" }, { size: 2 }];
    const text = render(metalink, [listed(one, { country: "DE" }), listed("http://c.example.org/?")], {
      reference: { ...index, content_at },
      former,
    });
    expect(text).toBe(`<?xml version="1.0" encoding="utf-8"?>
<!-- ${comment} -->
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

  test("only lists mirrors while nothing is known about the reference", () => {
    const text = render(metalink, [listed(one)]);
    expect(text).not.toMatch(/size|hash|verification|alternate|timestamp/);
    expect(text).toContain(`${one}/repodata/repomd.xml`);
  });

  test("has a preference from 1 to 100 for any number of mirrors", () => {
    const many = Array.from({ length: 300 }, (_, place) => listed(`https://m${place}.example.org/`));
    const values = render(metalink, many).matchAll(/preference="(\d+)"/g);
    const found = [...values].map(([, value]) => Number(value));
    expect([found.length, Math.max(...found), Math.min(...found), found[1]]).toEqual([300, 100, 1, 99]);
  });
});

describe("the metalink of a file", () => {
  const options = { content: { sha256: "reference" } };
  const file = listed(`${one}/os-1.0.iso`, { options, country: "DE" });

  test("has the size and the digest of the reference, and the mirrors by priority", () => {
    const mirrors = [file, listed(`${two}/os.iso?a=1&b='2'`, { options })];
    expect(render(metalink4, mirrors, { reference: index })).toBe(`<?xml version="1.0" encoding="utf-8"?>
<!-- ${comment} -->
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
    const sha256 = "d".repeat(64);
    const text = render(metalink4, [listed(one, { options: { content: { sha256 } } })]);
    expect(text).toContain(`<hash type="sha-256">${sha256}</hash>`);
    expect(render(metalink4, [file])).not.toContain("hash");
  });

  test("leaves out mirrors with the wrong content as long as one has the right content", () => {
    const right = { ...file, revision: index.sha256.slice(0, 32) };
    const stale = listed(two, { options, revision: "e".repeat(32) });
    const unknown = listed("https://c.example.org/", { options });
    const down = { ...right, status: 0 as const };
    const urls = (...mirrors: ListedMirror[]): number =>
      render(metalink4, mirrors, { reference: index }).match(/<url/g)?.length ?? 0;
    expect([urls(right, stale), urls(unknown, stale), urls(down, stale)]).toEqual([1, 1, 2]);
    expect(render(metalink4, [right, stale])).toContain(two);
  });

  test("has the declared size and digest of a file that is not read, says so, and leaves out mirrors with a different size", () => {
    const declared = { content: { sha256: "d".repeat(64), size: 5_368_709_120 } };
    const mirror = (url: string, more: Partial<ListedMirror> = {}) =>
      listed(url, { options: declared, ...more });
    const mirrors = [mirror(one), mirror(two, { content_code: "wrong_size" })];
    const text = render(metalink4, mirrors, { reference: index });
    expect(text).toContain("<!-- The size and digest come from the configuration");
    expect(text).toContain(`<size>5368709120</size>\n    <hash type="sha-256">${"d".repeat(64)}</hash>`);
    expect(text).not.toContain(two);
    expect(render(metalink4, [file], { reference: index })).not.toContain("declared");
    const at = "2026-03-08T10:00:00.000Z";
    const timed = (best: string, other: string) =>
      render(metalink4, [mirror(one, { revision: best }), mirror(two, { revision: other })]).includes(two);
    expect([timed(at, at), timed(at, "2026-03-01T10:00:00.000Z")]).toEqual([true, false]);
  });

  test("exists for mirrors whose digest is compared", () => {
    const all = [{}, { content: { text: "a" } }, { content: "sha256" }, options];
    expect(all.filter((one) => metalink4.isFor?.(one) ?? true)).toEqual([options]);
  });

  const unsafe = "dir/ %2e%2e%2fetc%2fpasswd ..%5cx .bashrc -rf %00 a%0Ab a%26b%22.iso".split(" ");
  test.each([
    ...["", ...unsafe].map((path): [string, string] => [path, "t"]),
    ["%E0%A4%A", "%E0%A4%A"],
    ["a&b%27.iso", "a&amp;b'.iso"],
    ["caf%C3%A9.iso?x", "café.iso"],
  ])("of the path %j names the file %s", (path, name) => {
    const mirror = listed(`https://a.example.org/${path}`, { options });
    expect(render(metalink4, [mirror])).toContain(`<file name="${name}">`);
  });
});

/** Any URL that a configuration can contain. */
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

  test("the lists of lines have a comment, then one line each, in order", () => {
    fc.assert(
      fc.property(mirrorsOf, (mirrors) => {
        for (const [list, line] of [
          [aptList, /^(?<url>https?:\/\/[!-~]+\/)\tpriority:\d+$/],
          [pacmanList, /^Server = (?<url>https?:\/\/[!-~]+)$/],
        ] as const) {
          const [first, ...lines] = render(list, mirrors).trimEnd().split("\n");
          expect(first).toBe(`# ${comment}`);
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
