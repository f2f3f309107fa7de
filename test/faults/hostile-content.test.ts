import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import * as z from "zod";
import { type Provider, startProvider } from "../support/mirror-server.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { statusesIn } from "../support/github.ts";
import { runInProcess } from "../support/in-process.ts";
import { runFeed, writeFeed } from "../support/mirror-feed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const goodRepomd = `<repomd><revision>7</revision><data type="primary"><location href="repodata/primary.xml.gz"/></data></repomd>`;

const nested = `${"<a>".repeat(3000)}7${"</a>".repeat(3000)}`;

/** Contents of `repodata/repomd.xml` on hostile mirrors. */
const hostile: Readonly<Record<string, string>> = {
  "a revision with 3,000 nested elements": goodRepomd.replace("7", nested),
  "a checksum with 3,000 nested elements": goodRepomd.replace(
    "<location",
    `<checksum type="sha256">${nested}</checksum><location`,
  ),
  "elements nested until the parser gives up": "<repomd>".repeat(25_000),
  "130,000 line ends of Windows": `<repomd>${"\r\n".repeat(130_000)}</repomd>`,
  "260,000 line ends of old Macs": `<repomd>${"\r".repeat(260_000)}</repomd>`,
};

async function provider(): Promise<Provider> {
  return closeAfterTest(await startProvider());
}

/** Mounts a mirror with these files. It answers after `ms` milliseconds. */
function mount(
  at: Provider,
  place: string,
  files: Readonly<Record<string, string | Buffer>>,
  ms = 0,
): string {
  return at.mount(place, async ({ path, response }) => {
    await sleep(ms);
    const content = files[path.slice(1)];
    response.writeHead(content === undefined ? 404 : 200).end(content);
  }).url;
}

const heartbeat = z.object({
  problems: z.unknown().optional(),
  nodes: z.array(z.looseObject({ id: z.number() })),
});

function heartbeatIn(folder: string): z.infer<typeof heartbeat> {
  return heartbeat.parse(JSON.parse(readFileSync(join(folder, "_site/v1/report/index.json"), "utf8")));
}

test.for(Object.entries(hostile))("an rpm mirror whose index has %s harms no other", async ([, repomd]) => {
  const folder = temporaryFolder();
  const at = await provider();
  const bad = mount(at, "bad", { "repodata/repomd.xml": repomd });
  const good = Array.from({ length: 20 }, (_, index) =>
    mount(at, `good/${index}`, { "repodata/repomd.xml": goodRepomd }, 200),
  );
  writeFeed(folder, [bad, ...good], { kind: "rpm", timeout: "5s" });
  const [, ...others] = await runFeed(folder);
  expect(others.map(({ status }) => status)).toEqual(Array(20).fill(1));
  expect(heartbeatIn(folder).problems).toBeUndefined();
});

test("an apt primary with a path that is too long for the state is read by the next run", async () => {
  const folder = temporaryFolder();
  const packages = gzipSync("Package: a\nFilename: pool/a.deb\n\n".repeat(100));
  const sha256 = createHash("sha256").update(packages).digest("hex");
  const long = `${"a".repeat(211)}/binary-amd64`;
  const release = `Acquire-By-Hash: yes\nSHA256:\n ${sha256} ${packages.length} ${long}/Packages.gz\n`;
  const url = mount(await provider(), "apt", {
    "dists/stable/InRelease": release,
    [`dists/stable/${long}/by-hash/SHA256/${sha256}`]: packages,
    [`dists/stable/${long}/Packages.gz`]: packages,
    "pool/a.deb": "a",
  });
  writeFeed(folder, [url], { kind: "apt" });
  for (let round = 0; round < 3; round += 1)
    expect(await runFeed(folder), `round ${round}`).toMatchObject([{ status: 1 }]);
});

test("a mirror that mirrorfeed fails at has no evidence, and all others are published", async () => {
  const folder = temporaryFolder();
  const at = await provider();
  const urls = ["one", "two", "three"].map((place) => mount(at, place, { "": "here" }));
  writeFeed(folder, urls, { kind: "http" });
  let failures = 0;
  // Each probe calls this once after its response.
  const random = (): number => {
    failures += 1;
    if (failures === 2) throw new RangeError("An unexpected error");
    return 0.5;
  };
  const parameters = ["run", "--state", "state.json", "--results", "results.json"];
  const first = await runInProcess(parameters, { folder, random: () => 0.5 });
  expect(first.code).toBe(0);
  failures = -1;
  const { code, stderr } = await runInProcess(parameters, { folder, random });
  expect(code).toBe(0);
  expect(statusesIn(join(folder, "_site"), "s/p/t")).toEqual({ 1: 1, 2: 1, 3: 1 });
  const { problems, nodes } = heartbeatIn(folder);
  expect(problems).toEqual([{ id: expect.any(Number), vantage: "default", error: "RangeError" }]);
  expect(nodes.filter((node) => "checked_at" in node)).toHaveLength(2);
  expect(stderr).toMatch(
    /^Warning: mirrorfeed failed on the response from http:.*RangeError: "An unexpected error"/m,
  );

  const building = ["build", "--state", "other.json", "--results", "results.json"];
  const built = await runInProcess(building, { folder });
  expect(built).toMatchObject({ code: 0, stderr: expect.stringContaining("_site:") as string });
});

test("an error at every mirror ends the run, and nothing is stored", async () => {
  const folder = temporaryFolder();
  const urls = [mount(await provider(), "one", { "": "here" })];
  writeFeed(folder, urls, { kind: "http" });
  const random = (): number => {
    throw new RangeError("An unexpected error");
  };
  const run = runInProcess(["run", "--state", "state.json", "--run-id", "a"], { folder, random });
  await expect(run).resolves.toMatchObject({ code: 70 });
  expect(() => readFileSync(join(folder, "state.json"))).toThrow("ENOENT");
});
