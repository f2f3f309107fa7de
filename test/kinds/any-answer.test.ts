import { gzipSync } from "node:zlib";
import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { unlessFailed } from "../../src/probe/probe-node.ts";
import { ProbeFailure } from "../../src/base/http/failure.ts";
import type { HttpResponse } from "../../src/base/http/response.ts";
import type { Classified, Classify, ProbeContext } from "../../src/kinds/kind.ts";
import { kindNames, kinds } from "../../src/kinds/kinds.ts";
import { resultsSchema } from "../../src/probe/observation.ts";

const now = Date.parse("2026-03-10T12:00:00.000Z");

/** Options of each kind with which most of its code runs. */
const options: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  apt: [{}, { suite: "./", index: "main/binary-amd64" }, { keyring: "/keys/a.gpg" }],
  http: [
    { content: { text: "a", sha256: "reference", files: ["a", "b/c"] } },
    { content: { timestamp: { format: "epoch" } } },
    { content: { timestamp: { header: "last-modified" } } },
    { content: { timestamp: { path: "at", pointer: "/a" }, files: ["a"] } },
  ],
  pacman: [{}, { database: `${"a".repeat(290)}/a.db` }],
};

const digest = "a".repeat(64);
const fragments = fc.constantFrom(
  ...["Date: Tue, 10 Mar 2026 06:00:00 UTC\n", "Date: 01 Jan 0000 00:00:00 GMT\n", "Valid-Until: \n"],
  ...[
    "SHA256:\n",
    ` ${digest} 999 main/binary-amd64/Packages.gz\n`,
    ` ${digest} 99999999999999999 Packages\n`,
  ],
  ...[
    "Acquire-By-Hash: yes\n",
    "-----BEGIN PGP SIGNED MESSAGE-----\n\n",
    "\n-----BEGIN PGP SIGNATURE-----\n",
  ],
  ...["\n-----END PGP SIGNATURE-----\n", "Filename: ../a\n", "Filename: pool/a.deb\n", "\u2028", "\0", "- "],
  ...["\0%FILENAME%\n../a\n", "\0%FILENAME%\na-1:2-any.pkg.tar.zst\n", "\x01", "<!DOCTYPE r [", "]>", "&a;"],
  ...[
    '<repomd><data type="primary">',
    "</data></repomd>",
    '<location href="Packages/a.rpm"/>',
    "<size>9</size>",
  ],
  ...[
    "<timestamp>1772971200</timestamp>",
    "<timestamp>253402300800.9</timestamp>",
    "<revision>a\u0007</revision>",
  ],
  ...['{"a":"9999-01-01"}', '{"a":1e400}', "253402300800", "1772971200", "-1", "<html>", "\r\n"],
);
const body: Arbitrary<Buffer> = fc.oneof(
  fc.array(fragments, { maxLength: 12 }).map((parts) => Buffer.from(parts.join(""))),
  fc.array(fragments, { maxLength: 12 }).map((parts) => gzipSync(parts.join(""))),
  fc.array(fragments, { maxLength: 4 }).map((parts) => {
    return Buffer.from(`<repomd><data type="primary">${parts.join("")}</data>${parts.join("")}</repomd>`);
  }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);
const date = fc.constantFrom("Sun, 08 Mar 2026 12:00:00 GMT", "Sat, 08 Mar 275760 12:00:00 GMT", "", "now");

const range = fc.constantFrom("bytes 0-9/10", "bytes 5-9/10", "bytes */0", "");

const answer: Arbitrary<HttpResponse> = fc
  .record({
    status: fc.constantFrom(200, 200, 200, 200, 206, 304, 403, 404, 405, 410, 429, 500, 503),
    headers: fc.record(
      { "last-modified": date, "content-length": fc.string(), "content-range": range },
      { requiredKeys: [] },
    ),
    body,
    complete: fc.boolean(),
  })
  .map((known) => ({ ...known, bounded: !known.complete, tlsExpiresAt: undefined }));

/** Returns a function that classifies the given answers in turn, by their heads first. */
function requestOf(answers: readonly HttpResponse[]) {
  let next = 0;
  return <OwnCode extends string>(url: URL, classify: Classify<OwnCode>): Promise<Classified<OwnCode>> => {
    const found = answers[next++ % answers.length];
    if (found === undefined) throw new Error("There is no answer.");
    const head = { ...found, body: Buffer.alloc(0), complete: false, bounded: false };
    const classification = classify(head) ?? classify(found);
    if (classification !== undefined) return Promise.resolve({ answer: found, classification, url });
    return Promise.reject(
      found.bounded ? new ProbeFailure("too_large") : new Error("It was left undecided."),
    );
  };
}

describe.each(kindNames)("a mirror of kind %s", (name) => {
  test.each(options[name] ?? [{}])(
    "whose options are %j gives an observation, whatever it answers",
    async (given) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(answer, { minLength: 1, maxLength: 4 }),
          fc.record({
            isPrimary: fc.boolean(),
            verified: fc.constantFrom(undefined, "", "Suite: a\nSHA256:\n"),
            files: fc.constantFrom(undefined, [], ["pool/a.deb"], ["a", "b+c"]),
            turn: fc.nat(),
          }),
          async (answers, { isPrimary, verified, files, turn }) => {
            const request = requestOf(answers);
            const context: ProbeContext = {
              tryRequest: (url, classify) => unlessFailed(request(url, classify)),
              verifySignature: () => Promise.resolve(verified),
              isPrimary,
              reference: { revision: "0".repeat(32), index: files && { files } },
              now,
              turn,
            };
            const probed = await unlessFailed(
              kinds[name].probe("https://a.example.org/a/", given, request, context),
            );
            if (probed === undefined) return;
            const { refs, ...seen } = probed;
            const checked_at = new Date(now).toISOString();
            const results = {
              schema: 1,
              run: "r",
              vantage: "default",
              shard: { index: 1, count: 1 },
              config: "0".repeat(32),
              prober: "mirrorfeed",
              started_at: checked_at,
              finished_at: checked_at,
              controls: [],
              observations: [
                { id: 1, attempts: 1, checked_at, ...seen, ...(refs && { refs: "0".repeat(32) }) },
              ],
            };
            expect(resultsSchema.safeParse(results).error?.issues).toBeUndefined();
          },
        ),
      );
    },
  );
});
