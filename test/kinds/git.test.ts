import fc from "fast-check";
import { expect, test } from "vitest";
import { mediaType } from "../support/advertisement.ts";
import { classifyGit } from "../support/classify-git.ts";
import { resultsSchema } from "../../src/probe/observation.ts";
import { formatRefSet, parseRefSet, refSetDigest } from "../../src/probe/ref-set.ts";
import type { HttpResponse } from "../../src/base/http/response.ts";
import { anyCharacter } from "../support/any-url.ts";

const revision = "1".repeat(40);

function packet(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;
}

function answering(firstRef: string): HttpResponse {
  const body = Buffer.from(`${packet("# service=git-upload-pack\n")}0000${packet(firstRef)}0000`);
  const headers = { "content-type": mediaType };
  return { status: 200, headers, body, complete: true, bounded: false, tlsExpiresAt: undefined };
}

function head(branch: string, more = ""): HttpResponse {
  return answering(`${revision} HEAD\0multi_ack symref=HEAD:refs/heads/${branch}${more}\n`);
}

test.each([
  ["main", "", "main"],
  ["main", " agent=git/2.39", "main"],
  ["feature/a.b", "", "feature/a.b"],
  ["b".repeat(1000), " agent=git/2.39", "b".repeat(1000)],
  ["b".repeat(1001), "", undefined],
  ["", "", undefined],
])("the branch that HEAD names, %j, is read, as far as it is one", (branch, more, expected) => {
  const { code, revision: seen, branch: read } = classifyGit(head(branch, more)) ?? {};
  expect({ code, seen, read }).toEqual({ code: "ok", seen: revision, read: expected });
});

test("whatever is advertised, what is kept of it can be read again", () => {
  const lines = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 3000 }),
    fc.string({ maxLength: 3000 }).map((branch) => `${revision} HEAD\0symref=HEAD:refs/heads/${branch}`),
    fc.string({ maxLength: 80 }).map((id) => `${id} HEAD\0symref=HEAD:refs/heads/main`),
  );
  const timestamp = "2026-01-01T00:00:00.000Z";
  fc.assert(
    fc.property(lines, (line) => {
      const { refs: seen = new Map<string, string>(), ...judgement } = classifyGit(answering(line)) ?? {};
      const text = formatRefSet(seen);
      const refs = refSetDigest(text);
      expect(parseRefSet(text)).toEqual(seen);
      const observation = { id: 1, ...judgement, refs, attempts: 1, checked_at: timestamp };
      const results = {
        schema: 1,
        run: "r",
        vantage: "default",
        shard: { index: 1, count: 1 },
        config: "0".repeat(32),
        prober: "mirrorfeed",
        started_at: timestamp,
        finished_at: timestamp,
        controls: [],
        observations: [observation],
        refs: { [refs]: text },
      };
      expect(resultsSchema.safeParse(results).success).toBe(true);
    }),
  );
});
