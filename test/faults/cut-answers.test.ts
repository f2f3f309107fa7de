import { expect, test } from "vitest";
import { closeAfterTest } from "../support/close-after-test.ts";
import { probeUrl } from "../support/probing.ts";
import { cuts, startCutServer, wholeAnswer } from "./cut-answers.ts";

test.each(cuts)("a good answer that meets a %s after each of its bytes ends as its code", async (cut) => {
  const { port } = closeAfterTest(await startCutServer());
  // Only stalled answers are waited for.
  const timeoutMs = cut === "stall" ? 3000 : 60_000;
  const everyByte = Array.from({ length: wholeAnswer.length + 1 }, (_, bytes) => bytes);
  const codes = await Promise.all(
    everyByte.map(async (bytes) => {
      // Each request has its own address and connection.
      const url = `http://127.0.${1 + (bytes >> 8)}.${bytes & 255}:${port}/${cut}/${bytes}`;
      return (await probeUrl(url, { timeoutMs })).code;
    }),
  );
  // Git reads responses to the end, so a response is good only once its last byte has arrived.
  const before = cut === "stall" ? "timeout" : "reset";
  expect(codes).toEqual(everyByte.map((bytes) => (bytes < wholeAnswer.length ? before : "ok")));
});
