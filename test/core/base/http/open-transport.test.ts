import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createServer } from "node:tls";
import { describe, expect, test } from "vitest";
import { InputError } from "../../../../src/core/base/errors.ts";
import { isPublic } from "../../../../src/core/base/http/address.ts";
import type { Proxies } from "../../../../src/core/base/http/connection.ts";
import { loadSecureContext, readProxies } from "../../../../src/core/base/http/open-transport.ts";
import { silent } from "../../../../src/features/demo/mirror-server.ts";
import { portOf, startServer } from "../../../support/mirror-server.ts";
import { advertisement } from "../../../support/advertisement.ts";
import { certificateFor } from "../../../support/certificates.ts";
import { runProgram } from "../../../support/child.ts";
import { sentence } from "../../../support/command-context.ts";
import { closeAfterTest } from "../../../support/close-after-test.ts";
import { runInProcess } from "../../../support/in-process.ts";
import { mirrorsJson, networkAt } from "../../../support/mirrors-json.ts";
import { probeUrl, type ProbingOptions } from "../../../support/probing.ts";
import { startForwardProxy } from "../../../support/proxy.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

describe("the environment", () => {
  test.each<[object, Proxies | undefined]>([
    [{ NO_PROXY: "*", PATH: "/bin" }, undefined],
    [{ HTTPS_PROXY: "" }, undefined],
    [
      { HTTPS_PROXY: "http://a:1", https_proxy: "http://b:1", NO_PROXY: "c" },
      { httpProxy: "", httpsProxy: "http://b:1", noProxy: "c" },
    ],
  ])("%j names the proxies %j", (environment, proxies) => {
    expect(readProxies({ ...environment })).toEqual(proxies);
  });

  test.each(["socks5://user:secret@proxy:1080", "proxy:3128", "nonsense"])(
    "may not name %s, which is not shown",
    (value) => {
      const message =
        "HTTPS_PROXY is not the URL of an HTTP proxy; write it as http://proxy.example.org:3128, or unset it.";
      expect(() => readProxies({ HTTPS_PROXY: value })).toThrow(new InputError(message));
    },
  );
});

describe("a proxy", () => {
  const start = async (options = {}) => closeAfterTest(await startServer(advertisement(), options));
  const startProxy = async (port: number | undefined, user?: string) => {
    const address = port === undefined ? undefined : `127.0.0.1:${port}`;
    return closeAfterTest(await startForwardProxy(() => address, user));
  };
  const codeThrough = async (proxy: string, url = "http://mirror.test/a", more: ProbingOptions = {}) =>
    (await probeUrl(url, { proxy, ...more })).code;

  test("is asked for http and https, by name, and resolves the name itself", async () => {
    const tls = await certificateFor("mirror.test");
    const [secure, plain] = [await start({ tls }), await start()];
    const proxy = closeAfterTest(
      await startForwardProxy((target) => `127.0.0.1:${target.endsWith(":443") ? secure.port : plain.port}`),
    );
    expect(await codeThrough(proxy.url, "https://mirror.test/a", { ca: tls.cert })).toBe("ok");
    expect(await codeThrough(proxy.url)).toBe("ok");
    expect(proxy.reached).toEqual(["mirror.test:443", "mirror.test:80"]);
  });

  test("gets its password", async () => {
    const proxy = await startProxy((await start()).port, "someone:secret");
    expect(await codeThrough(proxy.url.replace("//", "//someone:secret@"))).toBe("ok");
    expect(await codeThrough(proxy.url)).toBe("unreachable");
  });

  test("is not asked for what NO_PROXY names, and private addresses stay refused", async () => {
    const server = await start();
    const proxy = await startProxy(server.port);
    const proxies = { httpProxy: proxy.url, httpsProxy: proxy.url, noProxy: "127.0.0.1" };
    expect(await probeUrl(`${server.url}/a`, { proxies })).toMatchObject({ code: "ok" });
    const code = await codeThrough(proxy.url, "http://10.0.0.1/a", { isAllowed: isPublic });
    expect(code).toBe("blocked_address");
    expect(proxy.reached).toEqual([]);
  });

  test("that cannot get through is a failure with a code, at the deadline at the latest", async () => {
    const gone = await startForwardProxy(() => undefined);
    await gone.close();
    expect(await codeThrough((await startProxy(undefined)).url)).toBe("unreachable");
    expect(await codeThrough(gone.url)).toBe("refused");
    const slow = await startProxy(closeAfterTest(await startServer(silent())).port);
    expect(await codeThrough(slow.url, undefined, { timeoutMs: 300 })).toBe("timeout");
  });
});

describe("private certificate authorities", () => {
  /** Starts a mirror with a self-signed certificate, and writes the certificate to a file. */
  async function startMirror(folder: string, name: string, host: string) {
    const tls = await certificateFor(host);
    const server = closeAfterTest(await startServer(advertisement(), { tls, host }));
    const file = join(folder, name);
    writeFileSync(file, tls.cert);
    return { url: `${server.url}/a`, file };
  }

  test("of probe.ca, relative to mirrors.json, of NODE_EXTRA_CA_CERTS and of both are trusted", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "ca"));
    const first = await startMirror(folder, "ca/first.pem", "127.0.0.1");
    const second = await startMirror(folder, "second.pem", "localhost");
    const network = networkAt([first.url, second.url]);
    const config = join(folder, "mirrors.json");
    const causes = async (ca: readonly string[], environment = {}) => {
      const probe = { allowPrivate: true, attempts: 1, ca };
      writeFileSync(config, JSON.stringify(mirrorsJson(network, { probe })));
      // Runs in a different folder, because the paths in probe.ca are relative to mirrors.json.
      const options = { folder: tmpdir(), environment };
      const parameters = ["probe", "--json", "--config", config];
      // Only a process of its own reads NODE_EXTRA_CA_CERTS when it starts.
      const isAlone = ca.length === 0;
      const { stdout } = await (isAlone ? runProgram : runInProcess)(parameters, options);
      const { observations }: { observations: { code: string; cause?: string }[] } = JSON.parse(stdout);
      return observations.map(({ code, cause }) => cause ?? code);
    };
    const unknown = "DEPTH_ZERO_SELF_SIGNED_CERT";
    const extra = { NODE_EXTRA_CA_CERTS: second.file };
    expect(await causes(["ca/first.pem"])).toEqual(["ok", unknown]);
    expect(await causes([], extra)).toEqual([unknown, "ok"]);
    expect(await causes(["ca/first.pem"], extra)).toEqual(["ok", "ok"]);
  });

  const certificate = "CERTIFICATE-----\n";

  test.each([
    ["no file at all", undefined, "does not exist"],
    ["no certificate", "-----BEGIN PRIVATE KEY-----\n", "contains no PEM certificate"],
    [
      "half a certificate",
      `-----BEGIN ${certificate}TUlJ\n-----END ${certificate}`,
      "certificate 1 is not valid",
    ],
  ])("in %s are refused", async (_, text, problem) => {
    const file = join(temporaryFolder(), "ca.pem");
    if (text !== undefined) writeFileSync(file, text);
    const refused = await sentence(loadSecureContext([file], {}));
    expect(refused.endsWith(`${problem}; correct probe.ca.`)).toBe(true);
  });
});

test.each([[[]], [["ca.pem"]]])(
  "no server chooses a group for DHE, with the authorities %j",
  async (names) => {
    const folder = temporaryFolder();
    const certificate = await certificateFor("127.0.0.1", { keyType: "rsa" });
    writeFileSync(join(folder, "ca.pem"), certificate.cert);
    const preferred = {
      ...({ maxVersion: "TLSv1.2", dhparam: "auto", honorCipherOrder: true } as const),
      ciphers: "DHE-RSA-AES128-GCM-SHA256:AES128-GCM-SHA256",
    };
    const server = closeAfterTest(createServer({ ...certificate, ...preferred }).listen(0, "127.0.0.1"));
    await once(server, "listening");
    const secureContext = await loadSecureContext(
      names.map((name) => join(folder, name)),
      {},
    );
    const options = { host: "127.0.0.1", port: portOf(server), secureContext, rejectUnauthorized: false };
    const socket = connect(options);
    await once(socket, "secureConnect");
    expect(socket.getCipher().name).toBe("AES128-GCM-SHA256");
    socket.destroy();
  },
);
