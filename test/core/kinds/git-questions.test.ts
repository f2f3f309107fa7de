import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HttpResponse } from "../../../src/core/base/http/response.ts";
import { type UploadPack, uploadPackAt } from "../../../src/core/kinds/git-advertisement.ts";
import { judgeProof, parseReach, proofRequest, reachRequest } from "../../../src/core/kinds/git-questions.ts";
import { objectId, pktLine } from "../../support/advertisement.ts";

const url = new URL("https://git.example.org/a/git-upload-pack");
const id = objectId(1);
const server: UploadPack = { url, version: 0, capabilities: ["thin-pack"], tellsHistory: true };

function answer(body: string | Buffer, more: Partial<HttpResponse> = {}): HttpResponse {
  const whole = { status: 200, headers: {}, complete: true, bounded: false, tlsExpiresAt: undefined };
  return { ...whole, body: Buffer.from(body), ...more };
}

describe("a server is asked", () => {
  const offered = "multi_ack side-band-64k thin-pack shallow object-format=sha256 agent=git/2".split(" ");

  test("with the capabilities that it offers", () => {
    const found = uploadPackAt(url, { refs: [], capabilities: offered, version: 0, complete: true });
    const capabilities = ["side-band-64k", "thin-pack", "object-format=sha256"];
    expect(found).toEqual({ url, version: 0, capabilities, tellsHistory: true });
  });

  test.each<[string, Partial<Parameters<typeof uploadPackAt>[1]>, boolean | undefined]>([
    ["that is shallow", { isShallow: true }, false],
    ["that offers no shallow clones", { capabilities: ["side-band-64k"] }, false],
    ["without bands", { capabilities: ["shallow"] }, undefined],
    ["of version 2", { version: 2, capabilities: ["ls-refs", "fetch=shallow"] }, false],
    ["of version 2 without fetch", { version: 2, capabilities: ["ls-refs"] }, undefined],
  ])("about history, if it can tell: one %s", (_, more, expected) => {
    const advertisement = { refs: [], capabilities: offered, version: 0, complete: true, ...more } as const;
    expect(uploadPackAt(url, advertisement)?.tellsHistory).toBe(expected);
  });

  test("by packets that Git understands", () => {
    expect(proofRequest(server, id).body).toBe(`003cwant ${id} thin-pack\n00000032have ${id}\n0009done\n`);
    expect(reachRequest(server, id, [objectId(2)]).body).toBe(
      `003cwant ${id} thin-pack\n0035shallow ${objectId(2)}\n0011deepen 10000\n0000`,
    );
  });
});

describe("a proof", () => {
  const acknowledged = pktLine(`ACK ${id}\n`);
  const challenge = { "x-amzn-waf-action": "challenge" };
  const emptyPack = pktLine("\x01PACK\0\0\0\x02\0\0\0\0");
  const fullPack = pktLine("\x01PACK\0\0\0\x02\0\0\0\n");

  test.each<[string, string, Partial<HttpResponse>, "ok" | "failed" | undefined]>([
    ["is an empty pack", `${acknowledged}${emptyPack}0000`, {}, "ok"],
    ["may come after progress", `${acknowledged}${pktLine("\x02Counting")}${emptyPack}0000`, {}, "ok"],
    ["may be a whole pack", `${pktLine("NAK\n")}${fullPack}0000`, {}, "ok"],
    ["may be a pack longer than what is read", `${pktLine("NAK\n")}${fullPack}`, { bounded: true }, "ok"],
    ["is not a pack that ends too early", `${acknowledged}${emptyPack}`, {}, "failed"],
    ["is not another commit", `${pktLine(`ACK ${objectId(2)}\n`)}${emptyPack}0000`, {}, "failed"],
    ["is not given by a gateway that is unknown", "", { status: 520 }, undefined],
    ["is not given by Amazon's check", "", { status: 202, headers: challenge }, undefined],
  ])("%s", (_, body, more, expected) => {
    expect(judgeProof(answer(body, more), server, id)).toBe(expected);
  });
});

describe("an answer about history", () => {
  const reached = pktLine(`unshallow ${id}`);
  const end = pktLine(`shallow ${objectId(2)}`);

  test.each<[string, string, Partial<HttpResponse>, ReturnType<typeof parseReach>]>([
    ["names what is reached", `${reached}0000`, {}, { reached: new Set([id]), isWhole: true }],
    ["names where the walk ended", `${end}${reached}0000`, {}, { reached: new Set([id]), isWhole: false }],
    ["may be silence", "0000", {}, { reached: new Set(), isWhole: true }],
    ["may be empty", "", {}, "empty"],
    ["is nothing if it is cut off", reached, {}, undefined],
    ["is nothing if it is an error", `${pktLine("ERR upload-pack: not our ref")}0000`, {}, undefined],
  ])("%s", (_, body, more, expected) => {
    expect(parseReach(answer(body, more))).toEqual(expected);
  });
});

test("whatever a server answers, it is judged", () => {
  const words = fc.constantFrom("ACK ", "\x01PACK", "unshallow ", "ERR ", id);
  const texts = fc.array(fc.oneof(words, fc.string({ unit: "binary-ascii" })));
  const bodies = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    texts.map((lines) => Buffer.from(lines.map(pktLine).join(""))),
  );
  fc.assert(
    fc.property(bodies, fc.integer({ min: 200, max: 599 }), fc.boolean(), (body, status, bounded) => {
      const given = answer(body, { status, bounded });
      expect(["ok", "failed", undefined]).toContain(judgeProof(given, server, id));
      expect(() => parseReach(given)).not.toThrow();
    }),
  );
});
