import { describe, expect, test } from "vitest";
import { InputError } from "../../../src/base/errors.ts";
import { advertisement } from "../../support/advertisement.ts";
import { silent } from "../../../src/testbed/behaviours.ts";
import { startServer } from "../../../src/testbed/server.ts";
import { isPublic } from "../../../src/base/http/address.ts";
import { readProxies } from "../../../src/base/http/environment.ts";
import { certificateFor } from "../../support/certificates.ts";
import { probeUrl } from "../../support/probing.ts";
import { startForwardProxy } from "../../support/proxy.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";

describe("the environment", () => {
  test("names no proxy", () => {
    expect(readProxies({ NO_PROXY: "*", PATH: "/bin" })).toBeUndefined();
    expect(readProxies({ HTTPS_PROXY: "" })).toBeUndefined();
  });

  test("names them in either case, lower case first", () => {
    expect(readProxies({ HTTPS_PROXY: "http://a:1", https_proxy: "http://b:1", NO_PROXY: "c" })).toEqual({
      http: undefined,
      https: "http://b:1",
      except: "c",
    });
  });

  test.each(["socks5://user:secret@proxy:1080", "proxy:3128", "nonsense"])(
    "%s is refused without showing it",
    (value) => {
      expect(() => readProxies({ HTTPS_PROXY: value })).toThrow(InputError);
      expect(() => readProxies({ HTTPS_PROXY: value })).toThrow(
        /^HTTPS_PROXY does not name an HTTP proxy; write it as/,
      );
    },
  );
});

describe("a proxy", () => {
  test("is asked for http and https, by name, and resolves the name itself", async () => {
    const certificate = await certificateFor("mirror.test");
    const secure = closeAfterTest(await startServer(advertisement(), { tls: certificate }));
    const plain = closeAfterTest(await startServer(advertisement()));
    const proxy = closeAfterTest(
      await startForwardProxy((target) => `127.0.0.1:${target.endsWith(":443") ? secure.port : plain.port}`),
    );
    const proxies = { http: proxy.url, https: proxy.url, except: undefined };
    expect((await probeUrl("https://mirror.test/a", { proxies, ca: certificate.cert })).code).toBe("ok");
    expect((await probeUrl("http://mirror.test/a", { proxies })).code).toBe("ok");
    expect(proxy.reached).toEqual(["mirror.test:443", "mirror.test:80"]);
  });

  test("gets its password", async () => {
    const server = closeAfterTest(await startServer(advertisement()));
    const proxy = closeAfterTest(await startForwardProxy(() => `127.0.0.1:${server.port}`, "someone:secret"));
    const proxies = {
      http: proxy.url.replace("//", "//someone:secret@"),
      https: undefined,
      except: undefined,
    };
    expect((await probeUrl("http://mirror.test/a", { proxies })).code).toBe("ok");
    expect((await probeUrl("http://mirror.test/a", { proxies: { ...proxies, http: proxy.url } })).code).toBe(
      "unreachable",
    );
  });

  test("is not asked for what NO_PROXY names, and private addresses stay refused", async () => {
    const server = closeAfterTest(await startServer(advertisement()));
    const proxy = closeAfterTest(await startForwardProxy(() => `127.0.0.1:${server.port}`));
    const proxies = { http: proxy.url, https: undefined, except: "127.0.0.1" };
    expect((await probeUrl(`${server.url}/a`, { proxies })).code).toBe("ok");
    expect((await probeUrl(`http://10.0.0.1/a`, { proxies, isAllowed: isPublic })).code).toBe(
      "blocked_address",
    );
    expect(proxy.reached).toEqual([]);
  });

  test("that cannot get through is a failure with a code", async () => {
    const proxy = closeAfterTest(await startForwardProxy(() => undefined));
    const gone = await startForwardProxy(() => undefined);
    await gone.close();
    const through = (url: string) => ({ proxies: { http: url, https: undefined, except: undefined } });
    expect((await probeUrl("http://mirror.test/a", through(proxy.url))).code).toBe("unreachable");
    expect((await probeUrl("http://mirror.test/a", through(gone.url))).code).toBe("refused");
  });

  test("does not outlive the deadline", async () => {
    const server = closeAfterTest(await startServer(silent()));
    const proxy = closeAfterTest(await startForwardProxy(() => `127.0.0.1:${server.port}`));
    const proxies = { http: proxy.url, https: undefined, except: undefined };
    expect((await probeUrl("http://mirror.test/a", { proxies, timeoutMs: 300 })).code).toBe("timeout");
  });
});
