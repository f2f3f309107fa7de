import { createServer } from "node:http";
import { expect, test } from "vitest";
import { observe } from "../../src/pipeline/observe.ts";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { product, userAgent } from "../../src/files/package.ts";
import { recorded } from "../support/command-context.ts";

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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It listens on a port.");
  const network = [{ id: 1, url: `http://127.0.0.1:${address.port}/` }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const probe = { kind: "http", allowPrivate: true };
  for (const url of [site, undefined]) {
    const config = validateConfig(JSON.stringify({ systems, probe, site: { url } }), "mirrors.json");
    await observe(config, listNodes(config), {}, recorded().context);
  }
  server.close();
  expect(agents).toEqual([userAgent({ site }), userAgent({})]);
  if (product.homepage === undefined)
    expect(agents).toEqual([`mirrorfeed/${product.version} (+${site})`, `mirrorfeed/${product.version}`]);
});
