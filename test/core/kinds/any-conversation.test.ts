import { hash } from "node:crypto";
import { cpuUsage } from "node:process";
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { unlessFailed } from "../../../src/core/probe/probe-node.ts";
import { ProbeFailure } from "../../../src/core/base/http/failure.ts";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { HttpResponse } from "../../../src/core/base/http/response.ts";
import type { RequestOptions } from "../../../src/core/base/http/transport.ts";
import type * as kind from "../../../src/core/kinds/kind.ts";
import { type KindName, kindNames, kinds } from "../../../src/core/kinds/kinds.ts";
import { observationSchema } from "../../../src/core/probe/observation.ts";
import { advance } from "../../../src/core/state/advance.ts";
import { configFrom, mirrorsJson } from "../../support/mirrors-json.ts";
import { packet, service } from "../../support/raw-answer.ts";
import { vantageOf } from "../../support/rounds.ts";
import { seed, trials } from "../../support/trials.ts";
import { formatState, parseState } from "../../support/stored.ts";

/**
 * A mirror's files by path, in the order a probe requests them: an index before the file whose digest it contains. The
 * content is chosen to break parsers.
 */
type Site = Readonly<Record<string, Buffer>>;

const usualMaxBytes = 256 * 1024;
/** Half the usual timeout. If one probe stalled the process for longer, probes of other mirrors could time out. */
const maxStallMs = 5000;

const digest = "a".repeat(64);
const words = String.raw`a : - / ../ %2e <a> </a> <a <!-- <![CDATA[ &#0; &lt; &a; <?a <html> ]> </data></repomd> <data>
  <size>9</size> <revision> <timestamp>253402300800.9</timestamp> 0000 0001 0004 003d ffff
  refs/heads/ symref=HEAD: {"a":"9999-01-01"} {"a":1e400} { [ {"a": " \ 253402300800 1772971200 -1 Filename:`;
const spaced = [
  "\n|\r|\r\n| |\t|\0|\x01|\u2028|- |\n\n|\n |\ufeff|\ud83d\ude00",
  '<a b="|<!DOCTYPE r [|<repomd><data type="primary">|<location href="a.rpm"/>|<location href="',
  "Date: Tue, 10 Mar 2026 06:00:00 UTC\n|Date: 01 Jan 0000 00:00:00 GMT\n|Valid-Until: \n|SHA256:\n",
  ` ${digest} 9 main/binary-amd64/Packages.gz\n| ${digest} 99999999999999999 Packages\n`,
  "Acquire-By-Hash: yes\n|Filename: pool/a.deb\n|Filename: ../a\n|\0%FILENAME%\n|\0%FILENAME%\n../a\n",
  "\0%FILENAME%\na-1:2-any.pkg.tar.zst\n|<revision>a\u0007</revision>|-----BEGIN PGP SIGNED MESSAGE-----\n",
  `\n-----BEGIN PGP SIGNATURE-----\n|\n-----END PGP SIGNATURE-----|${"a".repeat(40)} refs/heads/a\n`,
  `${"a".repeat(40)}\trefs/tags/v1^{}\n|${"9".repeat(20)}`,
].flatMap((texts) => texts.split("|"));
const fragment = fc.constantFrom(...words.split(/\s+/), ...spaced);
const short = fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join(""));
const long = fc
  .tuple(fc.array(fragment, { minLength: 1, maxLength: 3 }), fc.integer({ min: 1000, max: usualMaxBytes }))
  .map(([parts, length]) => {
    const one = parts.join("");
    return one.repeat(Math.ceil(length / one.length)).slice(0, length);
  });
const hurtful = fc.oneof({ weight: 15, arbitrary: short }, { weight: 1, arbitrary: long });

const folder = fc.oneof(
  fc.constantFrom("main/binary-amd64", "main", "../..", "a".repeat(250)),
  hurtful.map((text) => text.slice(0, 300)),
);
const yes = fc.constantFrom("yes", "no", "");
const seconds = fc.constantFrom("1772971200", "0", "253402300800", "999999999999");

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

const id = fc.constantFrom("a".repeat(40), "0".repeat(40), "b".repeat(64));
const refLine = fc.oneof(
  fc.tuple(id, fc.constantFrom("HEAD", "refs/heads/main", "refs/tags/v1^{}")).map((parts) => parts.join(" ")),
  hurtful.map((text) => text.slice(0, 60_000)),
);

const bytes = hurtful.map((text) => Buffer.from(text));

const sites: Readonly<Record<KindName, Arbitrary<Site>>> = {
  apt: fc
    .record({ packages: hurtful, folder, field: hurtful, yes, isPlain: fc.boolean() })
    .map(({ packages, folder, field, yes, isPlain }) => {
      const list = isPlain ? Buffer.from(packages) : gzipSync(packages);
      const path = `${folder}/Packages${isPlain ? "" : ".gz"}`;
      const sha256 = hash("sha256", list);
      const release = `Origin: ${field}\nDate: Tue, 10 Mar 2026 06:00:00 UTC\nAcquire-By-Hash: ${yes}\nSHA256:\n ${sha256} ${list.length} ${path}\n`;
      return { InRelease: Buffer.from(release), Release: Buffer.from(release), [path]: list, [sha256]: list };
    }),
  git: fc
    .record({ lines: fc.array(refLine, { maxLength: 6 }), capabilities: hurtful, rest: hurtful })
    .map(({ lines, capabilities, rest }) => {
      const [first = "", ...others] = lines;
      const texts = [`${first}\0${capabilities.slice(0, 60_000)}`, ...others];
      const packets = texts.map((text) => packet(`${text}\n`)).join("");
      const list = Buffer.concat([Buffer.from(packets, "latin1"), Buffer.from(`0000${rest}`)]);
      return { "info/refs": Buffer.concat([Buffer.from(service), list]), "git-upload-pack": list };
    }),
  http: fc.record({ "": bytes, at: bytes }),
  index: hurtful.map((text) => {
    const sums = Buffer.from(`${digest}  ${text}\n`);
    return { SHA256SUMS: sums, "APKINDEX.tar.gz": gzipSync(`\nP:${text}\nV:${text}\nS:9\n\n`) };
  }),
  pacman: fc.record({ seconds, blank: hurtful, files: hurtful }).map(({ seconds, blank, files }) => ({
    lastupdate: Buffer.from(`${blank.trimEnd()}${seconds}\n${blank}`),
    "core.db": gzipSync(files),
  })),
  rpm: fc
    .record({ packages: hurtful, revision: hurtful, name: hurtful, rest: hurtful, seconds })
    .map(({ packages, revision, name, rest, seconds }) => {
      const list = gzipSync(`<metadata><package>${packages}</package></metadata>`);
      const sha256 = hash("sha256", list);
      const path = `repodata/${escaped(name.slice(0, 300))}primary.xml.gz`;
      const primary = `<data type="primary"><location href="${path}"/><checksum type="sha256">${sha256}</checksum><timestamp>${seconds}</timestamp></data>`;
      const repomd = `<repomd><revision>${revision}</revision>${primary}${rest}</repomd>`;
      return { "repomd.xml": Buffer.from(repomd), "primary.xml.gz": list };
    }),
};

const options: Readonly<Partial<Record<KindName, Arbitrary<Readonly<Record<string, unknown>>>>>> = {
  apt: fc.constantFrom({}, { index: "main" }, { suite: "./" }, { keyring: "/keys/a.gpg" }),
  git: fc.constantFrom({}, { refs: ["refs/heads/main"] }),
  http: fc
    .constantFrom(
      ...[{ text: "aa" }, { size: 9, files: ["a"] }, { text: "a", sha256: "reference", files: ["a", "b/c"] }],
      ...[{ path: "at" }, { path: "at", pointer: "/a" }, { pointer: "/a" }, { header: "last-modified" }].map(
        (timestamp) => ({ timestamp, files: ["a"] }),
      ),
      { timestamp: { format: "epoch" } },
    )
    .map((content) => ({ content })),
  index: fc.constantFrom({}, { format: "apk" }),
  pacman: fc.constantFrom({}, { database: `${"a".repeat(290)}/a.db` }),
};

const body = fc.oneof(
  short.map((text) => Buffer.from(text)),
  short.map((text) => gzipSync(text)),
  short.map((text) => Buffer.from(`<repomd><data type="primary">${text}</data>${text}</repomd>`)),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

const farFuture = "Sat, 08 Mar 275760 12:00:00 GMT";
const answer: Arbitrary<HttpResponse> = fc
  .record({
    status: fc.constantFrom(200, 200, 200, 200, 206, 304, 403, 404, 405, 410, 429, 500, 503),
    headers: fc.record(
      {
        "last-modified": fc.constantFrom("Sun, 08 Mar 2026 12:00:00 GMT", farFuture, "", "now"),
        "content-length": fc.string(),
        "content-range": fc.constantFrom("bytes 0-9/10", "bytes 5-9/10", "bytes */0", ""),
      },
      { requiredKeys: [] },
    ),
    body,
    complete: fc.boolean(),
  })
  .map((given) => ({ ...given, bounded: !given.complete, tlsExpiresAt: undefined }));

type Conversation = () => kind.RequestUrl;

/** Classifies an answer by its head and, if necessary, again with its body. */
async function classified(
  answer: HttpResponse,
  url: URL,
  classify: kind.Classify,
  { readBody }: RequestOptions = {},
): Promise<kind.Classified> {
  const empty = Buffer.alloc(0);
  const byHead = classify({ ...answer, body: empty, complete: false, bounded: false });
  if (byHead !== undefined) return { answer, code: byHead, url };
  const chunks = (async function* () {
    yield await Promise.resolve(answer.body);
  })();
  await readBody?.(chunks, new AbortController().signal);
  const code = classify(readBody === undefined ? answer : { ...answer, body: empty });
  if (code !== undefined) return { answer, code, url };
  throw answer.bounded ? new ProbeFailure("too_large") : new Error("It was left undecided.");
}

/** Gives each request the next of a few random answers, whatever its path. */
const anyAnswers: Arbitrary<Conversation> = fc
  .array(answer, { minLength: 1, maxLength: 4 })
  .map((answers) => () => {
    let turn = 0;
    return (url, classify, request) => {
      const found = answers[turn++ % answers.length];
      if (found === undefined) throw new Error("There is no answer.");
      return classified(found, url, classify, request);
    };
  });

/** Answers with the files of a site, and with random statuses for other paths. */
function ofSite(name: KindName): Arbitrary<Conversation> {
  const status = fc.constantFrom(200, 301, 403, 404, 405, 410, 503);
  const statuses = fc.array(status, { minLength: 1, maxLength: 3 });
  return fc.tuple(sites[name], statuses, fc.boolean()).map(([site, others, isSmart]) => () => {
    let turn = 0;
    return (url, classify, request = {}) => {
      const { maxBytes = usualMaxBytes, method = "GET" } = request;
      const path = decodeURIComponent(url.pathname);
      const name = Object.keys(site).find((end) => end !== "" && path.endsWith(`/${end}`)) ?? "";
      const content = site[name] ?? Buffer.alloc(0);
      const bounded = content.length > maxBytes;
      const found: HttpResponse = {
        status: site[name] === undefined ? (others[turn++ % others.length] ?? 404) : 200,
        headers: {
          "content-length": String(content.length),
          ...(isSmart && { "content-type": "application/x-git-upload-pack-advertisement" }),
        },
        body: method === "HEAD" ? Buffer.alloc(0) : content.subarray(0, maxBytes),
        ...{ complete: !bounded, bounded, tlsExpiresAt: undefined },
      };
      return classified(found, url, classify, request);
    };
  });
}

const now = Date.parse("2026-03-10T12:00:00.000Z");
const checked_at = new Date(now).toISOString();

/** Files of a reference. */
const samples = [[{ path: "pool/a.deb", size: 9 }], [{ path: "a" }, { path: "b+c" }]];

/** Expects the next run to be able to read the state that this one stores. */
function expectStored(config: Config, { refs, uploadPack, ...seen }: kind.Classification<string>): void {
  expect(uploadPack?.url.protocol ?? "https:").toBe("https:");
  const digest = refs && "0".repeat(16);
  const observation = observationSchema.parse({ id: 1, attempts: 1, checked_at, ...seen, refs: digest });
  const round = { run: "r", at: now, vantages: [vantageOf("default", [observation])] };
  const { state } = advance(config, listNodes(config), round, undefined);
  if (state === undefined) throw new Error("The round is void.");
  const text = formatState(state);
  expect(formatState(parseState(text, "memory"))).toBe(text);
}

test("`sites` has answers of every kind", () => {
  expect(Object.keys(sites).sort()).toEqual([...kindNames].sort());
});

test.each(kindNames)(
  "a mirror of kind %s stalls no other probe, and can be stored, whatever it answers",
  { timeout: 3_600_000 },
  async (name) => {
    const network = [{ id: 1, url: "https://a.example.org/a/b/" }];
    const config = configFrom(mirrorsJson(network, { probe: { kind: name } }));
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 4, arbitrary: ofSite(name) }, { weight: 1, arbitrary: anyAnswers }),
        options[name] ?? fc.constant({}),
        fc.record({
          turn: fc.nat(),
          wasIncomplete: fc.boolean(),
          files: fc.constantFrom(undefined, [], ...samples),
          verified: fc.constantFrom(undefined, "", "Suite: a\nSHA256:\n", "as signed"),
        }),
        async (converse, given, { files, verified, ...asked }) => {
          const known = { index: files && { files }, branch: "refs/heads/main" };
          let reference: kind.ProbeContext["reference"] = { revision: "0".repeat(32), ...known };
          for (const isPrimary of [true, false]) {
            const request = converse();
            const tryRequest: kind.TryRequest = (...asking) => unlessFailed(request(...asking));
            const verifySignature = (signed: Buffer) =>
              Promise.resolve(verified === "as signed" ? signed.toString() : verified);
            const functions = { tryRequest, verifySignature };
            const context = { ...asked, ...functions, isPrimary, hasPrimary: true, reference, now };
            const before = cpuUsage();
            const probing = kinds[name].probe("https://a.example.org/a/", given, request, context);
            const seen = await unlessFailed(probing);
            const { user, system } = cpuUsage(before);
            expect((user + system) / 1000).toBeLessThan(maxStallMs);
            if (seen === undefined) return;
            expectStored(config, seen);
            if (seen.revision !== undefined) reference = { revision: seen.revision, index: seen.index };
          }
        },
      ),
      { seed, numRuns: trials(600, 12_000) },
    );
  },
);
