import { createServer } from "node:http";
import { expect, test } from "vitest";
import { observe } from "../../../../src/core/probe/observe.ts";
import { listNodes } from "../../../../src/core/config/nodes.ts";
import { product, userAgent } from "../../../../src/core/base/files/package.ts";
import { closeAfterTest } from "../../../support/close-after-test.ts";
import { listenOnLoopback } from "../../../support/loopback.ts";
import { configFrom, mirrorsJson } from "../../../support/mirrors-json.ts";
import { recorded } from "../../../support/command-context.ts";

const site = "https://status.example.org/";
const homepage = "https://mirrorfeed.example.org/";

test.each([
  ["mirrorfeed/1.2.3", "git/2.0 (mirrorfeed/1.2.3)", {}, undefined],
  ["mirrorfeed/1.2.3 (verify)", "git/2.0 (mirrorfeed/1.2.3; verify)", { command: "verify" }, undefined],
  [`mirrorfeed/1.2.3 (+${site})`, `git/2.0 (mirrorfeed/1.2.3; +${site})`, { site }, undefined],
  [
    `mirrorfeed/1.2.3 (+${homepage}; +${site})`,
    `git/2.0 (mirrorfeed/1.2.3; +${homepage}; +${site})`,
    { site },
    homepage,
  ],
])("the User-Agent is %s, or for Git %s", (text, ofGit, known, of) => {
  expect(userAgent(known, { version: "1.2.3", homepage: of })).toBe(text);
  expect(userAgent({ ...known, isGit: true }, { version: "1.2.3", homepage: of })).toBe(ofGit);
});

test("a mirror receives the URL of the feed if that is configured, and a User-Agent for its kind", async () => {
  const agents: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    agents.push(request.headers["user-agent"]);
    response.end();
  });
  const mirror = closeAfterTest(await listenOnLoopback(server));
  const network = [{ id: 1, url: `${mirror.url}/` }];
  for (const [url, more] of [
    [site, { kind: "http" }],
    [undefined, { kind: "http" }],
    [site, { kind: "git" }],
    [site, { kind: "git", userAgent: "git/2.0 (mirrors)" }],
    [site, { kind: "http", userAgent: "mirrors" }],
  ] as const) {
    const probe = { allowPrivate: true, attempts: 1, ...more };
    const config = configFrom(mirrorsJson(network, { probe, site: { url } }));
    await observe(config, listNodes(config), {}, recorded().context);
  }
  const [ofFeed, ofNone] = [userAgent({ site }), userAgent({})];
  expect(agents).toEqual([ofFeed, ofNone, userAgent({ site, isGit: true }), "git/2.0 (mirrors)", "mirrors"]);
  if (product.homepage === undefined)
    expect([ofFeed, ofNone]).toEqual([
      `mirrorfeed/${product.version} (+${site})`,
      `mirrorfeed/${product.version}`,
    ]);
});
