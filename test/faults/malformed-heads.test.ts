import { expect, test } from "vitest";
import { startServer } from "../../src/testbed/server.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { malformedHeads } from "../support/misbehaviours.ts";
import { probeUrl } from "../support/probing.ts";

// Where a length is believed, the body is shorter than said. All others are no HTTP.
const codes: Partial<Record<string, string>> = {
  ...{ twoLengths: "reset", hugeLength: "reset", lengthAndChunks: "reset" },
  ...{ endlessContinue: "timeout", gzipBomb: "not_git" },
};

test.each(Object.entries(malformedHeads))("%s ends as its code, of both kinds", async (name, behave) => {
  const code = codes[name] ?? "not_http";
  const server = closeAfterTest(await startServer(behave()));
  expect((await probeUrl(`${server.url}/mirror`)).code).toBe(code);
  const ofHttp = await probeUrl(`${server.url}/mirror`, { kind: "http" });
  // What the body would unpack to is nothing to one who looks at the status.
  expect(ofHttp.code).toBe(name === "gzipBomb" ? "ok" : code);
});
