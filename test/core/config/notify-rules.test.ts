import { describe, expect, test } from "vitest";
import { eventNames, notifyRules } from "../../../src/core/config/notify-rules.ts";
import { receivingChannels, listNodes } from "../../../src/core/config/nodes.ts";
import { configFrom, mirrorsJson, problemsIn } from "../../support/mirrors-json.ts";

const network = [
  { id: 1, url: "https://git.example.org/a/b" },
  { id: 2, url: "https://git.example.net:8443/a/b", contact: "bob" },
];
const channels = {
  ops: { type: "webhook", urlEnv: "OPS_URL" },
  alice: { type: "webhook", urlEnv: "ALICE_URL" },
  bob: { type: "webhook", urlEnv: "BOB_URL" },
};

function withKeys(keys: object, target: object = {}): object {
  return mirrorsJson(network, { channels, ...keys }, target);
}

describe("notify", () => {
  test("alone with its receivers is a rule about everything, with defaults", () => {
    const [rule, ...others] = notifyRules(configFrom(withKeys({ notify: { to: ["ops"] } })));
    expect(others).toEqual([]);
    expect(rule).toMatchObject({ name: "rule-1", certificateDays: 14, scope: undefined, to: ["ops"] });
    expect([...(rule?.events ?? [])]).toEqual(eventNames);
    expect(eventNames.map((name) => [name, (rule?.afterMs(name) ?? NaN) / 3_600_000]).join()).toBe(
      "offline,1,unstable,0,behind,24,differs,24,wrong_content,24,rewritten,0,certificate,0,ipv4_unreachable,0,ipv6_unreachable,0,never_online,24,feed,2",
    );
  });

  test("can be several rules, each with what it leaves out", () => {
    const notify = [
      { name: "page", events: ["offline"], after: "5m", scope: "git.example.org", to: ["ops"] },
      { events: ["certificate"], certificateDays: 30, scope: 2, to: ["contact"] },
    ];
    const rules = notifyRules(configFrom(withKeys({ notify })));
    expect(rules).toMatchObject([
      { name: "page", scope: "git.example.org", certificateDays: 14, to: ["ops"] },
      { name: "rule-2", scope: 2, certificateDays: 30, to: ["contact"] },
    ]);
    expect(rules.map(({ events }) => [...events])).toEqual([["offline"], ["certificate"]]);
    expect(rules[0]?.afterMs("offline")).toBe(300_000);
  });

  test.each<[unknown, string]>([
    [{ to: [] }, "notify.to: must not be empty; add an entry, or remove the key"],
    [{ to: ["opps"] }, 'notify.to[0]: "opps" is not the name of a channel; add it to channels'],
    [
      [{ to: ["ops"], event: ["offline"] }],
      "notify[0].event: is not a known key; did you mean events? Known keys: name, events",
    ],
    [[{ to: ["ops"], events: ["ofline"] }], 'notify[0].events[0]: must be one of "offline", "unstable"'],
    [
      { to: ["ops"], scope: "git.example.com" },
      'notify.scope: "git.example.com" is not a host, path or id in this file; write a host',
    ],
    [
      ["page", "page"].map((name) => ({ name, to: ["ops"] })),
      'notify[1].name: "page" is already the name of a rule; choose another',
    ],
    ["ops", 'notify: must be a rule such as { "to": ["ops"] }, or a list of rules'],
  ])("is refused with its place and the remedy: %j", (notify, problem) => {
    expect(problemsIn(withKeys({ notify }))[0]).toContain(problem);
  });
});

describe("a contact", () => {
  test("is that of the node, else of its target, else of its host", () => {
    const contactsOf = (keys: object, target: object = {}): (string | undefined)[] =>
      listNodes(configFrom(withKeys(keys, target))).map(({ contact }) => contact);
    const contacts = { "git.example.org": "ops", "git.example.net:8443": "ops" };
    expect(contactsOf({})).toEqual([undefined, "bob"]);
    expect(contactsOf({ contacts })).toEqual(["ops", "bob"]);
    expect(contactsOf({ contacts }, { contact: "alice" })).toEqual(["alice", "bob"]);
  });

  test.each<[object, object, string]>([
    [
      { contacts: { "git.example.com": "ops" } },
      {},
      '"git.example.com" is not a host in this file; write it as',
    ],
    [{ contacts: { "s/p/t": "ops" } }, {}, '"s/p/t" is not a host in this file; write it as'],
    [
      { contacts: { "git.example.org": "carol" } },
      {},
      '"carol" is not the name of a channel; add it to channels',
    ],
    [
      {},
      { contact: "carol" },
      'systems[0].projects[0].targets[0].contact: "carol" is not the name of a channel',
    ],
    [
      {},
      { network: [{ ...network[0], contact: "carol" }] },
      'systems[0].projects[0].targets[0].network[0].contact: "carol" is not the name of a channel',
    ],
    [{}, { contact: "contact" }, 'must be a name made of a-z, 0-9, "_" and "-", other than contact'],
  ])("is refused with its place and the remedy: %j %j", (keys, target, problem) => {
    expect(problemsIn(withKeys(keys, target)).join("\n")).toContain(problem);
  });
});

test("the channels that receive something are those of rules, and contacts if a rule names them", () => {
  const receivers = (notify: unknown, target: object = {}): string[] => [
    ...receivingChannels(configFrom(withKeys({ notify }, target))).keys(),
  ];
  expect(receivers([])).toEqual([]);
  expect(receivers({ to: ["ops"] })).toEqual(["ops"]);
  expect(receivers({ to: ["contact"] })).toEqual(["bob"]);
  const both = [{ to: ["ops"] }, { to: ["contact"] }];
  expect(receivers(both, { contact: "alice" })).toEqual(["ops", "alice", "bob"]);
});
