import { get } from "node:https";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { errorCode } from "../../../src/core/base/errors.ts";
import { type Behaviour, startServer } from "../../../src/features/demo/mirror-server.ts";
import { advertise, advertisement, numberedRefs } from "../../support/advertisement.ts";
import { certificateFor } from "../../support/certificates.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { misbehaviours } from "../../support/misbehaviours.ts";

const good = advertise(numberedRefs(2));

test("each server listens at its address, on a port of its own", async () => {
  const first = closeAfterTest(await startServer(advertisement()));
  const second = closeAfterTest(await startServer(advertisement(), { host: "127.0.0.2" }));
  expect([first.url, second.url]).toEqual([
    `http://127.0.0.1:${first.port}`,
    `http://127.0.0.2:${second.port}`,
  ]);
  expect(first.port).not.toBe(second.port);
  expect(await (await fetch(second.url)).text()).toBe(good);
  const unknown = startServer(advertisement(), { host: "192.0.2.1" });
  await expect(unknown).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
});

/** Sends a request over TLS. Returns the answer's text or the error's code. */
async function ask(behaviour: Behaviour): Promise<string | undefined> {
  const tls = await certificateFor("127.0.0.1");
  const { url } = closeAfterTest(await startServer(behaviour, { tls }));
  return new Promise((resolve) => {
    const request = get(url, { ca: tls.cert, agent: false, timeout: 300 }, (response) => {
      text(response).then(resolve, (error: unknown) => {
        resolve(errorCode(error));
      });
    });
    request.on("timeout", () => request.destroy(Object.assign(new Error(), { code: "timeout" })));
    request.on("error", (error) => {
      resolve(errorCode(error));
    });
  });
}

test.each([
  ["a good answer", advertisement(), good],
  ["a reset", misbehaviours.reset(), "ECONNRESET"],
  ["a reset in the answer", misbehaviours.resetMidway(), "ECONNRESET"],
  ["a reset before the handshake", misbehaviours.resetAtConnection(), "ECONNRESET"],
  ["silence in the handshake", misbehaviours.silentAtConnection(), "timeout"],
  ["a banner of SSH", misbehaviours.sshBanner(), expect.stringMatching(/^(?:EPROTO|ERR_SSL_)/)],
])("over TLS, %s is what it is without", async (_, behaviour, expected) => {
  expect(await ask(behaviour)).toEqual(expected);
});
