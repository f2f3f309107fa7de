import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type TlsOptions } from "node:tls";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { advertisement } from "../../support/advertisement.ts";
import { portOf, startServer } from "../../../src/testbed/server.ts";
import { InputError } from "../../../src/base/errors.ts";
import { loadSecureContext } from "../../../src/base/http/environment.ts";
import { program, startChild } from "../../support/child.ts";
import { certificateFor } from "../../support/certificates.ts";
import { probeUrl } from "../../support/probing.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

let folder: string;
const open: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  folder = temporaryFolder("mirrorfeed-authorities-");
});
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A mirror whose certificate vouches for itself, and the file of that certificate. */
async function startMirror(name: string, host: string) {
  const certificate = await certificateFor(host);
  const server = await startServer(advertisement(), { tls: certificate, host });
  open.push(server.close);
  const file = join(folder, name);
  writeFileSync(file, certificate.cert);
  return { url: `${server.url}/a`, file };
}

/** The codes and causes that `mirrorfeed probe` finds, run elsewhere than where mirrors.json is. */
async function probe(urls: readonly string[], ca: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  const systems = [{ system: "a", projects: [{ project: "b", targets: [{ target: "c", network }] }] }];
  const config = join(folder, "mirrors.json");
  const settings = { allowPrivate: true, attempts: 1, ca };
  writeFileSync(config, JSON.stringify({ systems, probe: settings }));
  const parameters = [program, "probe", "--json", "--config", config];
  const ended = await startChild(process.execPath, parameters, { folder: tmpdir(), environment }).ending;
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const { observations }: { observations: { code: string; cause?: string }[] } = JSON.parse(ended.stdout);
  return observations.map(({ code, cause }) => cause ?? code);
}

describe("private certificate authorities", () => {
  test("of probe.ca, of NODE_EXTRA_CA_CERTS and of both are trusted", async () => {
    mkdirSync(join(folder, "ca"));
    const first = await startMirror("ca/first.pem", "127.0.0.1");
    const second = await startMirror("second.pem", "localhost");
    const urls = [first.url, second.url];
    const unknown = "DEPTH_ZERO_SELF_SIGNED_CERT";
    const extra = { NODE_EXTRA_CA_CERTS: second.file };
    expect(await probe(urls, [])).toEqual([unknown, unknown]);
    expect(await probe(urls, ["ca/first.pem"])).toEqual(["ok", unknown]);
    expect(await probe(urls, [], extra)).toEqual([unknown, "ok"]);
    expect(await probe(urls, ["ca/first.pem"], extra)).toEqual(["ok", "ok"]);
  });

  test("of NODE_EXTRA_CA_CERTS are trusted by check, which has no mirrors.json", async () => {
    const { url, file } = await startMirror("company.pem", "127.0.0.1");
    const parameters = [program, "check", url, "a/b/c", "--json"];
    const reasons = [{}, { NODE_EXTRA_CA_CERTS: file }].map(async (environment) => {
      const { stdout } = await startChild(process.execPath, parameters, { folder, environment }).ending;
      return (JSON.parse(stdout) as { reason: string }).reason;
    });
    expect(await Promise.all(reasons)).toEqual(["no_answer", "not_contract"]);
  });

  test("are paths relative to mirrors.json", async () => {
    const file = join(folder, "mirrors.json");
    const network = [{ id: 1, url: "https://mirror.example.org/a" }];
    const systems = [{ system: "a", projects: [{ project: "b", targets: [{ target: "c", network }] }] }];
    writeFileSync(file, JSON.stringify({ systems, probe: { ca: ["ca.pem", "/etc/ca.pem"] } }));
    expect((await loadConfig(file)).probe.ca).toEqual([join(folder, "ca.pem"), "/etc/ca.pem"]);
  });

  test.each([
    ["no file at all", undefined, /does not exist; correct probe\.ca\.$/],
    ["no certificate", "-----BEGIN PRIVATE KEY-----\n", /holds no certificate in PEM; correct probe\.ca\.$/],
    [
      "half a certificate",
      "-----BEGIN CERTIFICATE-----\nTUlJ\n-----END CERTIFICATE-----\n",
      /certificate 1 is not valid; correct probe\.ca\.$/,
    ],
  ])("in %s are refused", async (_, text, sentence) => {
    const file = join(folder, "ca.pem");
    if (text !== undefined) writeFileSync(file, text);
    const loaded = loadSecureContext([file], {});
    await expect(loaded).rejects.toThrow(InputError);
    await expect(loaded).rejects.toThrow(sentence);
  });
});

describe("each failure of TLS has its own cause", () => {
  test.each<[string, TlsOptions, string]>([
    ["HTTP/2 alone", { ALPNProtocols: ["h2"] }, "ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL"],
    [
      "TLS 1.1 alone",
      { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" },
      "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    ],
  ])("%s", async (_, options, cause) => {
    const certificate = await certificateFor("127.0.0.1");
    const server = createServer({ ...certificate, ...options }).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    open.push(() => new Promise((resolve) => server.close(resolve)));
    const result = await probeUrl(`https://127.0.0.1:${portOf(server)}/a`, { ca: certificate.cert });
    expect(result).toMatchObject({ code: "tls", cause });
  });

  test("a certificate for clients alone", async () => {
    const certificate = await certificateFor("127.0.0.1", { usage: "clientAuth" });
    const server = await startServer(advertisement(), { tls: certificate });
    open.push(server.close);
    expect(await probeUrl(`${server.url}/a`, { ca: certificate.cert })).toMatchObject({
      code: "tls",
      cause: "INVALID_PURPOSE",
    });
  });
});
