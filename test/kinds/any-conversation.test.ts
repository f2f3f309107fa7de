import { hash } from "node:crypto";
import { cpuUsage } from "node:process";
import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { unlessFailed } from "../../src/probe/probe-node.ts";
import { ProbeFailure } from "../../src/base/http/failure.ts";
import type { Config } from "../../src/config/schema.ts";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import type { HttpResponse } from "../../src/base/http/response.ts";
import type { Classification, ProbeContext, RequestUrl } from "../../src/kinds/kind.ts";
import { type KindName, kindNames, kinds } from "../../src/kinds/kinds.ts";
import { observationSchema } from "../../src/probe/observation.ts";
import { advance } from "../../src/state/advance.ts";
import { formatState, parseState } from "../../src/state/document.ts";
import { vantageOf } from "../support/rounds.ts";
import { seed, trials } from "../support/trials.ts";

/**
 * What a mirror answers at the paths that a probe asks for, in an order that makes sense to it: an index whose digests are those
 * of the next file, and within that whatever hurts.
 */
type Site = Readonly<Record<string, Buffer>>;

const usualMaxBytes = 256 * 1024;
/** Half the usual timeout: a longer stall lets the probes of other mirrors fail. */
const maxStallMs = 5000;

const fragment = fc.constantFrom(
  ...["\n", "\r", "\r\n", " ", "\t", "\0", "\u2028", "a", ":", "-", "- ", "/", "../", "%2e", "\n\n", "\n "],
  ...["<a>", "</a>", "<a", '<a b="', "<!--", "<![CDATA[", "&#0;", "&lt;", "<?a", '<location href="a.rpm"/>'],
  ...[
    '<location href="',
    "<revision>",
    "<data>",
    "<timestamp>1</timestamp>",
    "Filename: pool/a.deb\n",
    "Filename:",
  ],
  ...[
    "\0%FILENAME%\na.zst\n",
    "\0%FILENAME%\n",
    "0000",
    "0001",
    "0004",
    "003d",
    "ffff",
    "{",
    "[",
    '{"a":',
    '"',
    "\\",
  ],
  ...[
    "-----BEGIN PGP SIGNED MESSAGE-----\n",
    "\n-----BEGIN PGP SIGNATURE-----\n",
    "\n-----END PGP SIGNATURE-----",
  ],
  ...[
    `${"a".repeat(40)} refs/heads/a\n`,
    `${"a".repeat(40)}\trefs/tags/v1^{}\n`,
    "refs/heads/",
    "symref=HEAD:",
  ],
  ...[` ${"a".repeat(64)} 9 main/binary-amd64/Packages.gz\n`, "\ufeff", "\ud83d\ude00", "9".repeat(20)],
);
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

/** How a text is written in XML. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

function packet(line: string): string {
  return `${(Buffer.byteLength(line) + 4).toString(16).padStart(4, "0")}${line}`;
}

const id = fc.constantFrom("a".repeat(40), "0".repeat(40), "b".repeat(64));
const refLine = fc.oneof(
  fc.tuple(id, fc.constantFrom("HEAD", "refs/heads/main", "refs/tags/v1^{}")).map((parts) => parts.join(" ")),
  hurtful.map((text) => text.slice(0, 60_000)),
);

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
      const refs = [`${first}\0${capabilities.slice(0, 60_000)}`, ...others].map((line) =>
        packet(`${line}\n`),
      );
      const smart = `${packet("# service=git-upload-pack\n")}0000${refs.join("")}0000${rest}`;
      return {
        "info/refs": Buffer.from(smart),
        "git-upload-pack": Buffer.from(`${refs.join("")}0000${rest}`),
      };
    }),
  http: fc.record({
    "": hurtful.map((text) => Buffer.from(text)),
    at: hurtful.map((text) => Buffer.from(text)),
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
  apt: fc.constantFrom({}, { index: "main" }, { keyring: "/keys/a.gpg" }),
  git: fc.constantFrom({}, { refs: ["refs/heads/main"] }),
  http: fc.constantFrom(
    ...[{ content: { text: "aa" } }, { content: { sha256: "reference", files: ["a"] } }],
    ...[{ content: { timestamp: { path: "at" } } }, { content: { timestamp: { pointer: "/a" } } }],
  ),
};

/** Returns the requests of a probe to a site, whose last line of answers holds for what it does not have. */
function requestsTo(site: Site, others: readonly number[], isSmart: boolean): RequestUrl {
  let turn = 0;
  return (url, classify, { maxBytes = usualMaxBytes, method = "GET" } = {}) => {
    const path = decodeURIComponent(url.pathname);
    const name = Object.keys(site).find((end) => end !== "" && path.endsWith(`/${end}`)) ?? "";
    const body = site[name] ?? Buffer.alloc(0);
    const status = site[name] === undefined ? (others[turn++ % others.length] ?? 404) : 200;
    const bounded = body.length > maxBytes;
    const head: HttpResponse = {
      status,
      headers: {
        "content-length": String(body.length),
        ...(isSmart && { "content-type": "application/x-git-upload-pack-advertisement" }),
      },
      body: Buffer.alloc(0),
      complete: false,
      bounded: false,
      tlsExpiresAt: undefined,
    };
    const read = method === "HEAD" ? head.body : body.subarray(0, maxBytes);
    const answer = { ...head, body: read, complete: !bounded, bounded };
    const classification = classify(head) ?? classify(answer);
    return classification === undefined
      ? Promise.reject(new ProbeFailure("too_large"))
      : Promise.resolve({ answer, classification, url });
  };
}

const now = Date.parse("2026-03-10T12:00:00.000Z");
const checked_at = new Date(now).toISOString();

/** Requires that the next run reads the state that this one stores. */
function expectStored(config: Config, classification: Classification<string>): void {
  const { refs, ...seen } = classification;
  const observation = observationSchema.parse({
    id: 1,
    attempts: 1,
    checked_at,
    ...seen,
    ...(refs !== undefined && { refs: "0".repeat(16) }),
  });
  const round = { run: "r", at: now, vantages: [vantageOf("default", [observation])] };
  const { state } = advance(config, listNodes(config), round, undefined);
  if (state === undefined) throw new Error("The round is void.");
  const text = formatState(state);
  expect(formatState(parseState(text, "memory"))).toBe(text);
}

describe.each(kindNames)("a mirror of kind %s", (kind) => {
  const network = [{ id: 1, url: "https://a.example.org/a/b" }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const config = validateConfig(JSON.stringify({ systems, probe: { kind } }), "mirrors.json");

  test(
    "stalls no other probe, and can be stored, whatever its files say of each other",
    { timeout: 3_600_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(
          sites[kind],
          options[kind] ?? fc.constant({}),
          fc.array(fc.constantFrom(200, 301, 403, 404, 405, 410, 503), { minLength: 1, maxLength: 3 }),
          fc.record({ isSmart: fc.boolean(), turn: fc.nat(), wasIncomplete: fc.boolean() }),
          async (site, given, others, { isSmart, ...asked }) => {
            let reference: ProbeContext["reference"];
            for (const isPrimary of [true, false]) {
              const request = requestsTo(site, others, isSmart);
              const tryRequest: ProbeContext["tryRequest"] = (...asking) => unlessFailed(request(...asking));
              const verifySignature = (signed: Buffer) => Promise.resolve(signed.toString());
              const context = { ...asked, isPrimary, tryRequest, verifySignature, reference, now };
              const before = cpuUsage();
              const seen = await unlessFailed(
                kinds[kind].probe("https://a.example.org/a/", given, request, context),
              );
              const { user, system } = cpuUsage(before);
              expect((user + system) / 1000).toBeLessThan(maxStallMs);
              if (seen === undefined) return;
              expectStored(config, seen);
              reference =
                seen.revision === undefined ? undefined : { revision: seen.revision, index: seen.index };
            }
          },
        ),
        { seed, numRuns: trials(500, 10_000) },
      );
    },
  );
});
