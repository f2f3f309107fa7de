import { describe, expect, test } from "vitest";
import { httpCodes } from "../../../src/core/base/http/codes.ts";
import { codes, isKnownCode, kindNames, kinds, sentenceOf } from "../../../src/core/kinds/kinds.ts";
import { observationSchema } from "../../../src/core/probe/observation.ts";
import { namedSystem, parseReply } from "../../../src/features/verify/check-feed.ts";

test("the codes are in their published order, each with its sentence", () => {
  expect(codes).toEqual(
    (
      "ok dns refused unreachable no_route reset timeout tls redirect http_status rate_limited challenge captive_portal auth " +
      "not_http not_apt bad_signature not_git wrong_content not_index not_pacman not_rpm too_large blocked_address missing_file wrong_size half_synced " +
      "expired no_fetch behind differs"
    ).split(" "),
  );
  expect(new Set(codes.map((code) => sentenceOf(code))).size).toBe(codes.length);
});

const tls_expires_at = "2026-04-01T12:00:00.000Z";

test.each<[string, Parameters<typeof sentenceOf>[1], string]>([
  ["tls", { cause: "CERT_HAS_EXPIRED" }, "Its certificate has expired."],
  ["tls", { cause: "CERT_HAS_EXPIRED", tls_expires_at }, "Its certificate expired on 2026-04-01."],
  ["tls", { cause: "A_CAUSE_OF_LATER" }, sentenceOf("tls")],
  ["refused", { cause: "CERT_HAS_EXPIRED" }, sentenceOf("refused")],
  ["timeout", { phase: "connect" }, "It did not accept a connection in time."],
  ["timeout", { phase: "later" }, sentenceOf("timeout")],
])("the sentence of %s with %j is %s", (code, reason, sentence) => {
  expect(sentenceOf(code, reason)).toBe(sentence);
});

describe.each(kindNames)("the kind %s", (name) => {
  const { codes: own, revision, branch, options } = kinds[name];
  test("has codes that neither HTTP nor another kind has", () => {
    const foreign = kindNames
      .filter((other) => other !== name)
      .flatMap((other) => Object.keys(kinds[other].codes));
    for (const code of Object.keys(own)) {
      expect(code).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
      expect([...Object.keys(httpCodes), ...foreign]).not.toContain(code);
      expect(sentenceOf(code)).toBe(own[code]);
    }
  });

  test("requires no options, and shares none with another kind", () => {
    expect(options?.safeParse({}).success ?? true).toBe(true);
    const foreign = kindNames.flatMap((other) =>
      other === name ? [] : Object.keys(kinds[other].options?.shape ?? {}),
    );
    for (const key of Object.keys(options?.shape ?? {})) expect(foreign).not.toContain(key);
  });

  test("has examples that results can hold", () => {
    const examples = { revision: revision?.example, branch: branch?.example };
    expect(observationSchema.safeParse({ ...observed, ...examples }).success).toBe(true);
  });
});

const observed = { id: 1, code: "ok", attempts: 1, checked_at: "2026-03-10T12:00:00.000Z" };

test("a code of another version is read from results, and has a sentence that says so", () => {
  const unknown = "quota_exceeded";

  expect(observationSchema.safeParse({ ...observed, code: unknown }).success).toBe(true);
  expect(isKnownCode(unknown)).toBe(false);
  expect(sentenceOf(unknown)).toBe("This version of mirrorfeed does not know this code.");
  expect(sentenceOf("constructor")).toBe(sentenceOf(unknown));
});

test("a URL of an unknown scheme does not break the contract", () => {
  const parse = (url: string) => {
    const network = [{ id: 1, name: "a", url, status: 1 }];
    const projects = [{ project: "p", targets: [{ target: "t", network }] }];
    const body = Buffer.from(JSON.stringify({ system: "s", projects }));
    const asked = new URL("https://status.example.org/");
    return parseReply(namedSystem, { url: asked, status: 200, headers: {}, body, complete: true });
  };
  expect(parse("ipfs://bafy/a")).toHaveProperty("value");
  expect(parse("/a")).toEqual({ problem: expect.stringContaining("url: Not a URL") });
});
