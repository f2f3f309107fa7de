import { hash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Config } from "../../../src/core/config/config-schema.ts";
import { advertisement } from "../../support/advertisement.ts";
import { testbed } from "../../support/start-testbed.ts";
import { misbehaviours as lab } from "../../support/misbehaviours.ts";
import type { Handler } from "../../support/mirror-server.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import { configFrom, mirrorsJson, networkAt } from "../../support/mirrors-json.ts";
import { clock, configOf, probeConfig } from "../../support/probing.ts";

describe("what earlier runs know", () => {
  const requests: string[] = [];
  const packages = "Package: a\nFilename: pool/a.deb\n\nPackage: b\nFilename: pool/b.deb\n";
  const digest = hash("sha256", packages);
  const release = `Suite: stable\nSHA256:\n ${digest} ${packages.length} main/binary-amd64/Packages\n`;
  const archive: Handler = ({ request, response, path }) => {
    requests.push(`${request.method} ${path.slice(1)}`);
    if (path.endsWith("/InRelease")) response.end(release);
    else if (path.endsWith("/Packages")) response.end(packages);
    else response.writeHead(path.endsWith("/a.deb") ? 200 : 404).end();
  };
  const startArchive = async (): Promise<Config> => {
    const { url } = await testbed.startServer(archive);
    const probe = { kind: "apt", attempts: 1 };
    return configFrom(mirrorsJson(networkAt([`${url}/debian`]), { probe }, { primary: 1 }));
  };

  test("lets a primary read its index: without it, each run would read it anew", async () => {
    const config = await startArchive();
    const readIndex = "GET debian/dists/stable/main/binary-amd64/Packages";
    const alone = await probeConfig(config);
    expect(requests.splice(0)).toEqual(["GET debian/dists/stable/InRelease", readIndex]);
    expect(alone.observations[0]?.index).toBeUndefined();
    const results = await probeConfig(config, { references: new Map() });
    const files = [{ path: "pool/a.deb" }, { path: "pool/b.deb" }];
    expect(results.observations[0]?.index).toEqual({ files, turn: 0 });
    expect(requests.splice(0)).toContain(readIndex);
  });

  test("lets a mirror that lacked a file be asked for all of them", async () => {
    const known = { references: new Map(), earlier: new Map([[1, { wasIncomplete: true }]]) };
    const results = await probeConfig(await startArchive(), known);
    expect(results.observations[0]?.content_code).toBe("missing_file");
    expect(requests.splice(0)).toContain("HEAD debian/pool/b.deb");
  });
});

describe("a run of probes", () => {
  test("observes every node in the order of the file, and every control once", async () => {
    const good = await testbed.startServer(advertisement());
    const slow = await testbed.startServer(lab.slow(150));
    const bad = await testbed.startServer(lab.notFound());
    const control = await testbed.startServer(lab.json());
    const urls = [slow, bad, good].map(({ url }) => `${url}/a`);
    const config = configOf(urls, { controls: [`${control.url}/`] });
    const progress: number[] = [];
    const results = await probeConfig(config, { onProgress: (done) => progress.push(done) });
    expect(results).toMatchObject({
      schema: 1,
      run: "r1",
      controls: [{ url: `${control.url}/`, code: "ok", attempts: 1 }],
      observations: [
        { id: 1, code: "ok" },
        { id: 2, code: "http_status" },
        { id: 3, code: "ok" },
      ],
    });
    expect(control.requests).toBe(1);
    expect(progress).toEqual([1, 2, 3, 4]);
    expect(Date.parse(results.finished_at)).toBeGreaterThan(Date.parse(results.started_at));
  });

  test("asks no more of one host at a time than perHost, whatever the rest does", async () => {
    const crowded = await testbed.startServer(lab.slow(40));
    const other = await testbed.startServer(lab.slow(40));
    const urls = Array.from({ length: 12 }, (_, index) => `${crowded.url}/a${index}`);
    const config = configOf([...urls, `${other.url}/a`], { perHost: 3, timeout: "20s" });
    await probeConfig(config);
    expect(crowded.requests).toBe(12);
    expect(crowded.peakInFlight).toBe(3);
    // Connections are not reused for other mirrors.
    expect(crowded.connections).toBe(12);
    expect(other.requests).toBe(1);
  });

  test("asks the others while one is silent", async () => {
    const silent = await testbed.startServer(lab.silent());
    const waiting: number[] = [];
    const good = await testbed.startServer((exchange) => {
      waiting.push(silent.inFlight);
      return advertisement()(exchange);
    });
    const config = configOf([`${silent.url}/a`, `${good.url}/a`], { concurrency: 1 });
    const results = await probeConfig(config);
    expect(waiting).toEqual([1]);
    expect(results.observations.map(({ code }) => code)).toEqual(["timeout", "ok"]);
  });

  test("starts the deadline of a node when it is probed, not while it waits", async () => {
    const server = await testbed.startServer(lab.slow(250));
    const urls = Array.from({ length: 6 }, (_, index) => `${server.url}/a${index}`);
    const results = await probeConfig(configOf(urls, { perHost: 1, timeout: "600ms" }));
    expect(results.observations.map(({ code }) => code)).toEqual(Array(6).fill("ok"));
  });

  test.each([3_600_000, -3_600_000])("measures no time by a clock that is set by %i ms", async (ms) => {
    const server = await testbed.startServer(lab.slow(150));
    const bad = await testbed.startServer(lab.silent());
    let offset = 0;
    const jumping = { ...clock, now: () => clock.now() + (offset += ms) };
    const config = configOf([`${server.url}/a`, `${bad.url}/a`], { attempts: 2, timeout: "1s" });
    const progress: number[] = [];
    const onProgress = (done: number): void => void progress.push(done);
    const { observations } = await probeConfig(config, { clock: jumping, onProgress });
    expect(Math.max(...progress)).toBe(2);
    expect(observations[0]).toMatchObject({ id: 1, code: "ok" });
    expect(observations[0]?.latency_ms).toBeGreaterThanOrEqual(140);
    expect(observations[0]?.latency_ms).toBeLessThan(1000);
    // A clock that jumps ahead in each turn looks like a machine that is suspended all the time.
    expect(observations[1]?.code).toBe(ms > 0 ? undefined : "timeout");
  });

  test("ends at once when it is interrupted", async () => {
    const server = await testbed.startServer(lab.silent());
    const urls = Array.from({ length: 20 }, (_, index) => `${server.url}/a${index}`);
    const interrupt = new AbortController();
    setTimeout(() => {
      interrupt.abort(new Interrupted());
    }, 100);
    const started = clock.now();
    const probing = probeConfig(configOf(urls, { timeout: "20s" }), { interrupt: interrupt.signal });
    await expect(probing).rejects.toThrow(Interrupted);
    expect(clock.now() - started).toBeLessThan(20_000);
  });

  test("one host with good mirrors and malformed ones keeps them apart", async () => {
    const [malformed, good] = [lab.unaskedSwitch(), advertisement()];
    const server = await testbed.startServer((exchange) =>
      (exchange.path.startsWith("/bad") ? malformed : good)(exchange),
    );
    const names = Array.from({ length: 12 }, (_, place) => (place & 4 ? "bad" : "good"));
    const urls = names.map((name, index) => `${server.url}/${name}-${index}`);
    const results = await probeConfig(configOf(urls, { attempts: 1, timeout: "20s" }));
    const expected = names.map((name) => (name === "good" ? "ok" : "not_http"));
    expect(results.observations.map(({ code }) => code)).toEqual(expected);
  });
});
