import { expect, test } from "vitest";
import { closeAfterTest } from "../support/close-after-test.ts";
import * as heads from "../support/misbehaviours/malformed-heads.ts";
import { startServer } from "../../src/testbed/server.ts";
import { probeUrl } from "../support/probing.ts";

// Where a length is believed, the body is shorter than said.
test.each<[keyof typeof heads, string]>([
  ["twoLengths", "reset"],
  ["negativeLength", "not_http"],
  ["hugeLength", "reset"],
  ["lengthAndChunks", "reset"],
  ["noStatus", "not_http"],
  ["unaskedSwitch", "not_http"],
  ["statusBelowAll", "not_http"],
  ["noSuchVersion", "not_http"],
  ["nulInHeader", "not_http"],
  ["namelessHeader", "not_http"],
  ["endlessContinue", "timeout"],
  ["gzipBomb", "not_git"],
])("%s ends as %s, of both kinds", async (name, code) => {
  const server = closeAfterTest(await startServer(heads[name]()));
  expect((await probeUrl(`${server.url}/mirror`)).code).toBe(code);
  const ofHttp = await probeUrl(`${server.url}/mirror`, { kind: "http" });
  // What the body would unpack to is nothing to one who looks at the status.
  expect(ofHttp.code).toBe(name === "gzipBomb" ? "ok" : code);
});

test("every malformed head has its code here", () => {
  expect(Object.keys(heads)).toHaveLength(12);
});
