import { createServer } from "node:http";
import { expect, test } from "vitest";
import { observe } from "../../../../src/core/probe/observe.ts";
import { listNodes } from "../../../../src/core/config/nodes.ts";
import { validateConfig } from "../../../../src/core/config/validate.ts";
import { product, userAgent } from "../../../../src/core/base/files/package.ts";
import { closeAfterTest } from "../../../support/close-after-test.ts";
import { listenOnLoopback } from "../../../support/loopback.ts";
import { recorded } from "../../../support/command-context.ts";

const site = "https://status.example.org/";
const homepage = "https://mirrorfeed.example.org/";

test.each([
  ["mirrorfeed/1.2.3", {}, undefined],
  ["mirrorfeed/1.2.3 (verify)", { command: "verify" }, undefined],
  [`mirrorfeed/1.2.3 (+${site})`, { site }, undefined],
  [`mirrorfeed/1.2.3 (+${homepage}; +${site})`, { site }, homepage],
  [`mirrorfeed/1.2.3 (pick; +${homepage})`, { command: "pick" }, homepage],
])("the User-Agent is %s", (text, known, of) => {
  expect(userAgent(known, { version: "1.2.3", homepage: of })).toBe(text);
});

test("a mirror receives the URL of the feed, if that is configured", async () => {
  const agents: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    agents.push(request.headers["user-agent"]);
    response.end();
  });
  const mirror = closeAfterTest(await listenOnLoopback(server));
  const network = [{ id: 1, url: `${mirror.url}/` }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const probe = { kind: "http", allowPrivate: true };
  for (const url of [site, undefined]) {
    const config = validateConfig(JSON.stringify({ systems, probe, site: { url } }), "mirrors.json");
    await observe(config, listNodes(config), {}, recorded().context);
  }
  expect(agents).toEqual([userAgent({ site }), userAgent({})]);
  if (product.homepage === undefined)
    expect(agents).toEqual([`mirrorfeed/${product.version} (+${site})`, `mirrorfeed/${product.version}`]);
});
