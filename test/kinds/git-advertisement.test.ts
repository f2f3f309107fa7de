import { afterAll, beforeAll, expect, test } from "vitest";
import { headId, numberedRefs } from "../support/advertisement.ts";
import { parseAdvertisement, parseInfoRefs } from "../../src/kinds/git-advertisement.ts";
import { type Testbed, startTestbed } from "../support/start-testbed.ts";
import { good, long } from "../support/raw-answer.ts";
import { lsRemote } from "../support/ls-remote.ts";

const service = "git-upload-pack";

let testbed: Testbed;
beforeAll(async () => {
  testbed = await startTestbed();
});
afterAll(async () => {
  await testbed.close();
});

test.each(["good", "empty", "other-branch"])("of %s by git http-backend every ref is given", async (name) => {
  const { url } = await testbed.startServer(testbed.gitServer(testbed.folder));
  const response = await fetch(`${url}/${name}.git/info/refs?service=${service}`);
  const found = parseAdvertisement(Buffer.from(await response.arrayBuffer()), service);
  if (typeof found === "string") expect.fail(found);
  const { output } = await lsRemote(`${url}/${name}.git`);
  expect(found.refs.map((ref) => `${ref.id}\t${ref.name}\n`).join("")).toBe(output);
  expect(found).toMatchObject({ version: 0, complete: true });
});

test("every beginning of a good advertisement is cut off, never invalid, and gives the refs so far", () => {
  const whole = Buffer.from(good, "latin1");
  const refs = numberedRefs(2);
  for (let end = 0; end < whole.length; end += 1) {
    const found = parseAdvertisement(whole.subarray(0, end), service);
    if (found === "cut") continue;
    if (found === "invalid") expect.fail(`after ${end} bytes`);
    expect(found).toMatchObject({ refs: refs.slice(0, found.refs.length), complete: false });
  }
  expect(parseAdvertisement(whole, service)).toMatchObject({ refs, complete: true });
});

test("of a long one all refs are given in their order", () => {
  expect(parseAdvertisement(Buffer.from(long(3000), "latin1"), service)).toMatchObject({
    refs: numberedRefs(3000),
    complete: true,
  });
});

test("the refs of a server without git are given too", () => {
  const text = `${headId.toUpperCase()}\trefs/heads/main\n${headId}\trefs/tags/a^{}\n`;
  expect(parseInfoRefs(Buffer.from(text))).toEqual([
    { id: headId, name: "refs/heads/main" },
    { id: headId, name: "refs/tags/a^{}" },
  ]);
});
