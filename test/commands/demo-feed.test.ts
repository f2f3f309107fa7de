import { beforeAll, expect, test } from "vitest";
import { validateConfig } from "../../src/config/validate.ts";
import { startDemo } from "../../src/commands/demo-feed.ts";
import { git } from "../support/git.ts";
import { startTestbed } from "../support/start-testbed.ts";

const testbed = await startTestbed();
let demo: Awaited<ReturnType<typeof startDemo>>;

beforeAll(async () => {
  demo = await startDemo(testbed, Date.now());
});

function nodes() {
  return demo.config.systems.flatMap(({ projects }) =>
    projects.flatMap(({ targets }) => targets.flatMap(({ network }) => network)),
  );
}

test("the configuration of the demo is a valid mirrors.json in plain ASCII", () => {
  const text = JSON.stringify(demo.config);
  expect(validateConfig(text, "the demo").systems[0]?.projects[0]?.targets).toHaveLength(3);
  expect(text).toMatch(/^[\x20-\x7e]*$/);
});

test("every node tells its trait and where it is, and has an address of loopback", () => {
  for (const { name, url } of nodes()) {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/joomla\/[a-z-]+$/);
    expect(name).toMatch(new RegExp(`^[A-Za-z ]+ - ${url.slice("http://".length)}$`));
  }
});

test("each target has mirrors at several providers, its primary first", () => {
  const targets = demo.config.systems[0]?.projects[0]?.targets ?? [];
  for (const { primary, network } of targets) {
    expect(network[0]?.id).toBe(primary);
    expect(network[0]?.name).toMatch(/^primary - /);
    expect(new Set(network.map(({ url }) => new URL(url).port)).size).toBe(network.length);
  }
});

test("after moving on, the mirror that lags is where the primary was", async () => {
  const { good, identical, lagging } = testbed.repositories;
  await demo.moveOn();
  const now = await Promise.all(
    [good, identical, lagging].map(({ folder }) => git(["-C", folder, "rev-parse", "HEAD"])),
  );
  expect(now[0]).not.toBe(good.head);
  expect(now[1]).toBe(now[0]);
  expect(now[2]).toBe(good.head);
});
