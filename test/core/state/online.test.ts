import { expect, test } from "vitest";
import type { Node } from "../../../src/core/config/nodes.ts";
import type { ControlObservation } from "../../../src/core/probe/observation.ts";
import { isOnline, onlineVantages } from "../../../src/core/state/online.ts";
import { nodesAt, type Seen, vantageOf } from "../../support/rounds.ts";

const two = ["a.example.org", "b.example.org"];
type Controls = readonly (string | Partial<ControlObservation>)[];

test.each<[string, readonly string[], string, Controls, boolean]>([
  ["one good mirror proves it online", two, "ok timeout", [], true],
  ["one good control proves it online", two, "timeout dns", ["timeout", "ok"], true],
  ["controls that all fail prove it offline", two, "http_status timeout", ["timeout"], false],
  ["controls that all fail do not outweigh a good mirror", two, "ok timeout", ["timeout"], true],
  ..."dns refused unreachable no_route timeout reset tls not_http captive_portal"
    .split(" ")
    .map((code): [string, string[], string, Controls, boolean] => [
      ...([`${code} on two hosts`, two, `${code} ${code}`, [], false] as const),
    ]),
  ["a newer version's code tells nothing of the prober", two, "of_newer of_newer", [], true],
  ["a newer code is no failure", two, "timeout of_newer", [], true],
  ["a newer code hides no offline prober", [...two, "c.example.org"], "dns tls of_newer", [], false],
  ["a captive portal with a login page", two, "not_git not_git", [], false],
  ["an HTTP error is an answer", two, "http_status timeout", [], true],
  ["a 429 is an answer", two, "rate_limited timeout", [], true],
  ["failures on one host prove nothing", ["a.example.org", "a.example.org"], "timeout timeout", [], true],
  ["two ports are two hosts", ["a.example.org", "a.example.org:8443"], "refused refused", [], false],
  // A captive portal's name server may answer any name with its own address.
  ["private addresses of public names", two, "blocked_address blocked_address", [], false],
  [
    "private addresses of private names prove nothing",
    ["a.local", "b.home.arpa", "localhost", "intranet", "10.0.0.1", "[fd00::1]", "x.internal:8443"],
    Array(7).fill("blocked_address").join(" "),
    [],
    true,
  ],
  ["private addresses hide no offline prober", [...two, "10.0.0.1"], "dns dns blocked_address", [], false],
  ["a shard without nodes proves nothing", two, "", [], true],
])("a vantage doubts itself first: %s", (_, hosts, codes, controls, online) => {
  const seen = codes === "" ? [] : codes.split(" ");
  expect(isOnline(nodesAt(hosts), vantageOf("default", seen, controls))).toBe(online);
});

test("a shard whose machine was offline says nothing of its mirrors, whatever the other shards saw", () => {
  const nodes = nodesAt(["a.example.org", "b.example.org", "c.example.org", "d.example.org"]);
  const whole = vantageOf("eu", ["ok", "ok", "timeout", "dns"]);
  const shardOf = (index: number, ...ids: number[]) => ({
    index,
    controls: [],
    observations: new Map([...whole.observations].filter(([id]) => ids.includes(id))),
  });
  const vantage = { ...whole, missingShards: [1], shards: [shardOf(3, 1, 2), shardOf(2, 3, 4)] };
  const [seen, ...others] = onlineVantages(nodes, [vantage]);
  expect([...(seen?.observations.keys() ?? [])]).toEqual([1, 2]);
  expect(seen?.missingShards).toEqual([1, 2]);
  expect(others).toEqual([]);
  // If the offline shard is the whole run, no vantage is online.
  expect(onlineVantages(nodes, [{ ...vantage, ...shardOf(2, 3, 4), shards: undefined }])).toEqual([]);
  // A control proves the shard online, so its failures count.
  const proved = { ...shardOf(2, 3, 4), controls: vantageOf("eu", [], ["ok"]).controls };
  const [all] = onlineVantages(nodes, [{ ...vantage, shards: [shardOf(3, 1, 2), proved] }]);
  expect(all?.observations.size).toBe(4);
});

/** Makes a `git` node from a URL. If the word `http` and a space precede the URL, makes an `http` node instead. */
function nodeOf(place: string, index: number): Node {
  const [kind, url = ""] = place.includes(" ") ? place.split(" ") : ["git", place];
  const { host } = new URL(url);
  const [node] = nodesAt([host]);
  if (node === undefined) throw new Error("One host gives one node.");
  const settings = { ...node.settings, kind: kind === "http" ? ("http" as const) : ("git" as const) };
  return { ...node, id: index + 1, url, settings };
}

const [plain, other] = ["http://a.example.org/x", "http://b.example.org/x"];
const [secure, otherSecure] = ["https://a.example.org/x", "https://b.example.org/x"];
const refusedHosts = { [plain]: "refused", [other]: "refused" };
const failing: Seen = { code: "http_status", http_status: 500 };
const failed: Partial<ControlObservation> = { code: "timeout", proof: "none" };
const portal: Partial<ControlObservation> = { url: "http://c.example.org/", code: "ok", http_status: 200 };

/** Each row has what a vantage saw of mirrors and controls, and whether the vantage counts as online. */
test.each<[Readonly<Record<string, Seen>>, Controls, "online" | "offline"]>([
  [{ [plain]: "ok", [other]: "refused" }, [], "online"],
  [{ [plain]: { code: "captive_portal", http_status: 511 }, [otherSecure]: "tls" }, [], "offline"],
  [{ [plain]: "rate_limited", [secure]: "tls", [otherSecure]: "tls" }, [], "offline"],
  [{ [secure]: "rate_limited", [otherSecure]: "timeout" }, [], "online"],
  [{ [secure]: failing, [otherSecure]: "timeout" }, [failed], "online"],
  [{ [plain]: failing, [otherSecure]: "timeout" }, [failed], "offline"],
  [{ [`http ${plain}`]: "ok", [other]: "refused" }, [failed], "offline"],
  [{ [plain]: "refused" }, [failed], "offline"],
  [refusedHosts, [{ proof: "tls" }], "online"],
  [refusedHosts, [{ ...portal, text: "hello", proof: "text" }], "online"],
  [refusedHosts, [{ ...portal, text: "hello", proof: "none" }], "offline"],
  [refusedHosts, [{ ...portal, proof: "none" }], "offline"],
  // A control over plain HTTP without a text can prove nothing, so it does not show that the vantage is offline either.
  [{ [plain]: failing, [other]: "refused" }, [{ ...portal, proof: "none" }], "online"],
])("by mirrors %j and controls %j it is %s", (mirrors, controls, expected) => {
  const nodes = Object.keys(mirrors).map(nodeOf);
  const vantage = vantageOf("default", Object.values(mirrors), controls);
  expect(isOnline(nodes, vantage) ? "online" : "offline").toBe(expected);
});
