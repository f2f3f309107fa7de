import { afterAll, beforeAll, expect, test } from "vitest";
import { probeUrl } from "../support/probing.ts";
import { type Cut, cuts, type CutServer, startCutServer, wholeAnswer } from "./cut-answers.ts";

let server: CutServer;
beforeAll(async () => {
  server = await startCutServer();
});
afterAll(async () => {
  await server.close();
});

/** Git reads an answer to its end, so nothing before the last byte is good enough. */
const before: Readonly<Record<Cut, readonly string[]>> = {
  stall: ["timeout"],
  end: ["reset"],
  reset: ["reset"],
};

test.each(cuts)("a good answer that meets a %s after each of its bytes ends as its code", async (cut) => {
  const everyByte = Array.from({ length: wholeAnswer.length + 1 }, (_, bytes) => bytes);
  const codes = await Promise.all(
    everyByte.map(async (bytes) => {
      // A connection of its own each, at an address of its own.
      const address = `127.0.${1 + (bytes >> 8)}.${bytes & 255}`;
      const { code } = await probeUrl(server.mirror(cut, bytes, address), { timeoutMs: 3000 });
      return [bytes, code] as const;
    }),
  );
  const wrong = codes.filter(([bytes, code]) => {
    return bytes < wholeAnswer.length ? !before[cut].includes(code) : code !== "ok";
  });
  expect(wrong).toEqual([]);
});
