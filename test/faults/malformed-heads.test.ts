import { expect, test } from "vitest";
import { startServer } from "../support/mirror-server.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { malformedHeads } from "../support/misbehaviours.ts";
import { probeUrl } from "../support/probing.ts";

// Heads that are not listed here are invalid HTTP. Those with the code "reset" give a length that the probe trusts, but
// the body ends early.
const codes: Partial<Record<string, string>> = {
  ...{ twoLengths: "reset", hugeLength: "reset", lengthAndChunks: "reset" },
  ...{ endlessContinue: "timeout", gzipBomb: "not_git" },
};

test.each(Object.entries(malformedHeads))(
  "%s is reported with its code by Git and HTTP probes",
  async (name, behave) => {
    const code = codes[name] ?? "not_http";
    const server = closeAfterTest(await startServer(behave()));
    expect((await probeUrl(`${server.url}/mirror`)).code).toBe(code);
    const ofHttp = await probeUrl(`${server.url}/mirror`, { kind: "http" });
    // A check of the status alone never unpacks the body.
    expect(ofHttp.code).toBe(name === "gzipBomb" ? "ok" : code);
  },
);
