import { describe, expect, test } from "vitest";
import type { Control } from "../../../src/core/config/config-schema.ts";
import { configWarnings } from "../../../src/core/config/warnings.ts";
import { configFrom, mirrorsJson } from "../../support/mirrors-json.ts";

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
  const network = [{ id: 1, url: "https://git.example.org/a" }];
  const config = configFrom(mirrorsJson(network, { probe: { controls: [control] } }));
  expect(configWarnings(config).map(({ path, message }) => `${path.join(".")}: ${message}`)).toEqual(
    warnings,
  );
});

describe("channels and contacts that get no message", () => {
  const [url, other] = ["https://git.example.org/a", "https://git.example.net/a"];
  const hook = (name: string) => ({ type: "webhook", urlEnv: name });
  const warningsOf = (keys: object, contact?: string, target: object = {}): string[] => {
    const network = [
      { id: 1, url },
      { id: 2, url: other, ...(contact === undefined ? {} : { contact }) },
    ];
    const channels = { ops: hook("OPS_URL"), bob: hook("BOB_URL") };
    const config = configFrom(mirrorsJson(network, { channels, ...keys }, target));
    return configWarnings(config).map(({ path, message }) => `${path.join(".")}: ${message}`);
  };

  test("a contact of a target, too", () => {
    expect(warningsOf({ notify: { to: ["ops"] } }, undefined, { contact: "bob" })).toEqual([
      expect.stringMatching(/^systems\.0\.projects\.0\.targets\.0\.contact: has no effect, /),
    ]);
  });

  test.each<[object, string | undefined, string[]]>([
    [
      {},
      undefined,
      ['channels: has no effect without a rule; add "notify": { "to": ["ops"] }, or remove it'],
    ],
    [
      { notify: { to: ["ops"] } },
      undefined,
      [
        `channels.bob: has no effect, since no notify rule names bob; add "bob" to a rule's "to", or remove it`,
      ],
    ],
    [{ notify: { to: ["ops", "bob"] } }, undefined, []],
    [{ notify: { to: ["ops", "contact"] } }, "bob", []],
    [{ notify: { to: ["ops", "contact"] }, contacts: { "git.example.org": "bob" } }, undefined, []],
    [
      { notify: { to: ["ops"] }, contacts: { "git.example.org": "bob" } },
      "bob",
      [
        `contacts: has no effect, since no notify rule names contact; add "contact" to a rule's "to", or remove it`,
      ],
    ],
    [
      { notify: { to: ["ops"] } },
      "bob",
      [
        `systems.0.projects.0.targets.0.network.1.contact: has no effect, since no notify rule names contact; add "contact" to a rule's "to", or remove it`,
      ],
    ],
  ])("%j, %j", (keys, contact, warnings) => {
    expect(warningsOf(keys, contact)).toEqual(warnings);
  });
});

test("private addresses are one warning, which names the hosts", () => {
  const urls = [
    "https://git.example.org/a",
    ...[1, 2, 3, 4, 5, 6, 1].map((n, index) => `http://10.0.0.${n}/${index}`),
  ];
  const config = configFrom(mirrorsJson(urls.map((url, index) => ({ id: index + 1, url }))));
  expect(configWarnings(config)).toEqual([
    {
      code: "private_address",
      path: ["systems", 0, "projects", 0, "targets", 0, "network", 1, "url"],
      message:
        '7 URLs are in a private network (10.0.0.1, 10.0.0.2, 10.0.0.3, 10.0.0.4, 10.0.0.5, 1 more), and private addresses are not probed; to probe them, set "probe": { "allowPrivate": true } in mirrors.json',
    },
  ]);
  expect(configWarnings({ ...config, probe: { ...config.probe, allowPrivate: true } })).toEqual([]);
});
