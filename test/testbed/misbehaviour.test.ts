import { expect, test } from "vitest";
import { closeAfterTest } from "../support/close-after-test.ts";
import { advertise, advertisement, headId, numberedRefs, servicePackets } from "../support/advertisement.ts";
import { misbehaviours } from "../support/misbehaviours.ts";
import { type Behaviour, type RunningServer, startServer } from "../../src/testbed/server.ts";
import { askRaw, type RawOptions } from "./raw-client.ts";

const good = advertise(numberedRefs(2));

async function serve(behaviour: Behaviour): Promise<RunningServer> {
  return closeAfterTest(await startServer(behaviour));
}

async function raw(behaviour: Behaviour, options?: RawOptions) {
  const { port } = await serve(behaviour);
  return askRaw(port, options);
}

async function get(behaviour: Behaviour) {
  const { url } = await serve(behaviour);
  return fetch(`${url}/info/refs?service=git-upload-pack`, { redirect: "manual" });
}

test.each([
  ["notFound", 404],
  ["gone", 410],
  ["forbidden", 403],
  ["serverError", 500],
  ["unavailable", 503],
  ["overloaded", 503],
  ["tooManyRequests", 429],
  ["unauthorized", 401],
  ["loginPage", 200],
  ["json", 200],
] as const)("%s answers %i", async (name, status) => {
  const response = await get(misbehaviours[name]());
  expect(response.status).toBe(status);
});

test("who asks for patience says how long, in Retry-After", async () => {
  const waits = [misbehaviours.overloaded(7), misbehaviours.tooManyRequests(8), misbehaviours.unavailable()];
  const responses = await Promise.all(waits.map(get));
  expect(responses.map(({ headers }) => headers.get("retry-after"))).toEqual(["7", "8", null]);
});

test("the answers that are no advertisement say what they are", async () => {
  const [challenge, page, document] = await Promise.all(
    [misbehaviours.unauthorized(), misbehaviours.loginPage(), misbehaviours.json()].map(get),
  );
  expect(challenge?.headers.get("www-authenticate")).toMatch(/^Basic /);
  expect(page?.headers.get("content-type")).toContain("text/html");
  expect(await page?.text()).toContain('type="password"');
  expect(await document?.json()).toEqual({ message: "fine" });
});

test("redirects name their target as it was given", async () => {
  const responses = await Promise.all(
    [
      misbehaviours.redirect("http://127.0.0.1:2/a?b", 307),
      misbehaviours.moved("http://127.0.0.1:2/new"),
      misbehaviours.redirectToFtp(),
      misbehaviours.redirectWithCredentials("http://127.0.0.1:2/"),
      misbehaviours.redirectWithoutLocation(),
      misbehaviours.redirectLoop(),
    ].map(get),
  );
  expect(responses.map(({ status, headers }) => [status, headers.get("location")])).toEqual([
    [307, "http://127.0.0.1:2/a?b"],
    [301, "http://127.0.0.1:2/new/info/refs?service=git-upload-pack"],
    [302, "ftp://127.0.0.1/packages"],
    [302, "http://someone:secret@127.0.0.1:2/"],
    [302, null],
    [302, "/info/refs?service=git-upload-pack"],
  ]);
});

test("a redirect chain of three ends in an advertisement at the fourth request", async () => {
  const server = await serve(misbehaviours.redirectChain(3));
  const response = await fetch(`${server.url}/info/refs?service=git-upload-pack`);
  expect(await response.text()).toBe(good);
  expect(server.requests).toBe(4);
});

test("silent takes the request and says nothing", async () => {
  const server = await serve(misbehaviours.silent());
  expect(await askRaw(server.port, { patienceMs: 300 })).toEqual({ text: "", ending: "open" });
  expect(server.requests).toBe(1);
});

test("silentAtConnection and resetAtConnection never see a request", async () => {
  const mute = await serve(misbehaviours.silentAtConnection());
  const rude = await serve(misbehaviours.resetAtConnection());
  expect(await askRaw(mute.port, { patienceMs: 300 })).toEqual({ text: "", ending: "open" });
  expect(await askRaw(rude.port)).toEqual({ text: "", ending: "reset" });
  expect([mute, rude].map(({ requests, connections }) => [requests, connections])).toEqual([
    [0, 1],
    [0, 1],
  ]);
});

test("slow answers well, after its delay", async () => {
  const started = performance.now();
  const response = await get(misbehaviours.slow(150));
  expect(await response.text()).toBe(good);
  expect(performance.now() - started).toBeGreaterThan(140);
});

test("drip and dripHeaders go on byte by byte", async () => {
  const [body, headers] = await Promise.all([
    raw(misbehaviours.drip(), { enough: /fff0\r\n1\r\n0/ }),
    raw(misbehaviours.dripHeaders(), { enough: /0{5}$/ }),
  ]);
  expect(body.text).toMatch(/\r\n\r\n.*fff0/s);
  expect(headers.text).toMatch(/^HTTP\/1\.1 200 OK\r\nX-Drip: 0{5,}$/);
  expect([body.ending, headers.ending]).toEqual(["open", "open"]);
});

test("the endless ones send as much as a client can take", async () => {
  const enough = 3_000_000;
  const endless = [
    misbehaviours.endlessBody(),
    misbehaviours.endlessAdvertisement(),
    misbehaviours.endlessHeaders(),
  ];
  for (const behaviour of endless) {
    const { text, ending } = await raw(behaviour, { enough });
    expect(text.length).toBeGreaterThanOrEqual(enough);
    expect(ending).toBe("open");
    expect(text.includes("\r\n\r\n")).toBe(behaviour !== endless[2]);
  }
});

test("hugeHeader sends a header larger than a client reads by default", async () => {
  const { text } = await raw(misbehaviours.hugeHeader(100_000), { enough: 100_000 });
  expect(text).toMatch(/x-huge: x{99000}/);
  await expect(get(misbehaviours.hugeHeader())).rejects.toThrow();
});

test("hugeAdvertisement has 10,000 refs and HEAD first", async () => {
  const text = await (await get(misbehaviours.hugeAdvertisement())).text();
  expect(text.split("\n").length).toBe(10_000 + 2);
  expect(text.indexOf(`${headId} HEAD\0`)).toBe(`${servicePackets()}0058`.length);
});

test("truncatedBody ends before its length, resetMidway is cut off by a reset", async () => {
  const truncated = await raw(misbehaviours.truncatedBody());
  const cut = await raw(misbehaviours.resetMidway());
  const [head = "", body = ""] = truncated.text.split("\r\n\r\n");
  expect(head.toLowerCase()).toContain(`content-length: ${good.length}`);
  expect(good.startsWith(body)).toBe(true);
  expect(body.length).toBeLessThan(good.length);
  expect([truncated.ending, cut.ending]).toEqual(["end", "reset"]);
  expect(cut.text).toMatch(/^HTTP\/1\.1 200 OK/);
});

test("reset and closeWithoutAnswer send nothing, sshBanner no HTTP", async () => {
  expect(await raw(misbehaviours.reset())).toEqual({ text: "", ending: "reset" });
  expect(await raw(misbehaviours.closeWithoutAnswer())).toEqual({ text: "", ending: "end" });
  expect(await raw(misbehaviours.sshBanner(), { enough: /\n$/ })).toEqual({
    text: "SSH-2.0-OpenSSH_9.6\r\n",
    ending: "open",
  });
});

test("malformedChunks breaks a client in the body", async () => {
  const response = await get(misbehaviours.malformedChunks());
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});

test("the malformed advertisements differ from a good one in what their name says", async () => {
  const text = async (behaviour: Behaviour) => (await get(behaviour)).text();
  expect(await text(advertisement())).toBe(good);
  expect(await text(misbehaviours.wrongService())).toMatch(/^001f# service=git-receive-pack\n0000/);
  expect(await text(misbehaviours.noPackets())).not.toMatch(/^[0-9a-f]{4}/);
  expect(await text(misbehaviours.errorLine("no"))).toBe("001e# service=git-upload-pack\n0000000bERR no\n");
  expect(await text(misbehaviours.dumbAdvertisement())).toBe(`${headId}\trefs/heads/main\n`);
  const cut = await text(misbehaviours.cutAdvertisement());
  expect(good.startsWith(cut)).toBe(true);
  const plain = await get(misbehaviours.plainTextAdvertisement());
  expect(plain.headers.get("content-type")).toMatch(/^text\/plain/);
  expect(await plain.text()).toBe(good);
});

test("gzipAdvertisement is compressed though identity was asked for", async () => {
  const { url } = await serve(misbehaviours.gzipAdvertisement());
  const response = await fetch(url, { headers: { "accept-encoding": "identity" } });
  expect(response.headers.get("content-encoding")).toBe("gzip");
  expect(await response.text()).toBe(good);
});

test("flaky resets so many requests and then answers, each for itself", async () => {
  const server = await serve(misbehaviours.flaky(2));
  const endings = [];
  for (let turn = 0; turn < 3; turn += 1)
    endings.push((await askRaw(server.port, { enough: good.length })).ending);
  expect(endings).toEqual(["reset", "reset", "open"]);
  expect((await raw(misbehaviours.flaky(1))).ending).toBe("reset");
});
