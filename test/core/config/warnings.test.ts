import { expect, test } from "vitest";
import type { Control } from "../../../src/core/config/config-schema.ts";
import { configWarnings } from "../../../src/core/config/warnings.ts";
import { configFrom, mirrorsJson, networkAt } from "../../support/mirrors-json.ts";

const network = networkAt(["https://git.example.org/a"]);

test.each<[Control, string[]]>([
  ["https://example.org/", []],
  [{ url: "https://example.org/", text: "Example Domain" }, []],
  [{ url: "http://example.org/", text: "Example Domain" }, []],
  [
    "http://example.org/",
    [
      'probe.controls.0: "http://example.org/" proves nothing over HTTP unless "text" is set, since a captive portal could answer; use HTTPS, or write { "url": "http://example.org/", "text": "some text from the answer" }',
    ],
  ],
  [
    { url: "http://example.org/success.txt", text: "success" },
    [
      'probe.controls.0.text: "success" is also in the URL, which a captive portal may show on its login page; choose different text from the answer',
    ],
  ],
])("the control %j may be answered by a captive portal", (control, warnings) => {
  const config = configFrom(mirrorsJson(network, { probe: { controls: [control] } }));
  expect(configWarnings(config).map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual(
    warnings,
  );
});

test.each<[object, string[]]>([
  [{}, ["channels.ops", "channels.bob"]],
  [{ notify: { to: ["ops"] } }, ["channels.bob"]],
  [{ notify: { to: ["ops"] }, contacts: { "git.example.org": "bob" } }, ["channels.bob"]],
  [{ notify: { to: ["ops", "contact"] }, contacts: { "git.example.org": "bob" } }, []],
])("with %j, the channels without notifications are %j", (keys, paths) => {
  const hook = (name: string) => ({ type: "webhook", urlEnv: name });
  const channels = { ops: hook("OPS_URL"), bob: hook("BOB_URL") };
  const warnings = configWarnings(configFrom(mirrorsJson(network, { channels, ...keys })));
  expect(warnings.map(({ path }) => path.join("."))).toEqual(paths);
  for (const { message } of warnings)
    expect(message).toBe(`has no effect; add its name to a notify rule's "to", or remove it`);
});

test("private addresses are one warning, which names the hosts", () => {
  const urls = [
    "https://git.example.org/a",
    ...[1, 2, 3, 4, 5, 6, 1].map((n, index) => `http://10.0.0.${n}/${index}`),
  ];
  const config = configFrom(mirrorsJson(networkAt(urls)));
  expect(configWarnings(config)).toEqual([
    {
      code: "private_address",
      path: ["systems", 0, "projects", 0, "targets", 0, "network", 1, "url"],
      message:
        '7 URLs in a private network (10.0.0.1, 10.0.0.2, 10.0.0.3, 10.0.0.4, 10.0.0.5 and 1 more): private addresses are not probed; set "probe": { "allowPrivate": true } in mirrors.json',
    },
  ]);
  expect(configWarnings({ ...config, probe: { ...config.probe, allowPrivate: true } })).toEqual([]);
});
