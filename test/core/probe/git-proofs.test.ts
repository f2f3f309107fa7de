import { beforeAll, describe, expect, test } from "vitest";
import { dueProofs, type KnownProof, type ProofOf } from "../../../src/core/probe/git-proofs.ts";
import type { UploadPack } from "../../../src/core/kinds/git-advertisement.ts";
import type { GitMirror } from "../../../src/core/probe/git-targets.ts";
import type { Exchange, Handler } from "../../support/mirror-server.ts";
import { pktLine } from "../../support/advertisement.ts";
import { type Graph, line, makeGraph } from "../../support/git-graph.ts";
import { configOf, probeConfig } from "../../support/probing.ts";
import { nodesAt } from "../../support/rounds.ts";
import { startTestbed } from "../../support/start-testbed.ts";

const testbed = await startTestbed();
const day = 86_400_000;
let graph: Graph;
let backend: Handler;

beforeAll(async () => {
  graph = await makeGraph(line(3), { "refs/heads/main": 2 });
  backend = testbed.gitServer(graph.folder);
});

/** Starts a mirror that lists the graph's repository, and answers a POST with `post`. */
async function startMirror(post: Handler) {
  const server = await testbed.startServer((exchange) =>
    exchange.request.method === "POST" ? post(exchange) : backend(exchange),
  );
  return server.url;
}

async function fetchedFrom(urls: readonly string[], timeout = "60s", proofOf?: ProofOf) {
  const given = proofOf && { git: { proofOf, historyOf: () => undefined } };
  const { observations } = await probeConfig(configOf(urls, { timeout }), given);
  return observations.map(({ code, fetched }) => (code === "ok" ? fetched : code));
}

/** Reads the request, as every real server does, before it answers. */
function after(answer: (exchange: Exchange) => void): Handler {
  return (exchange) => {
    exchange.request.resume().once("end", () => {
      answer(exchange);
    });
  };
}

const resultType = { "content-type": "application/x-git-upload-pack-result" };
const html = { "content-type": "text/html" };

const page = (status: number, headers = {}, body = `<title>${status}</title>`): Handler =>
  after(({ response }) => response.writeHead(status, { ...html, ...headers }).end(body));
const result = (body: string, headers = {}): Handler =>
  after(({ response }) => response.writeHead(200, { ...resultType, ...headers }).end(body));

const nak = pktLine("NAK\n");
const hangUp = ({ reset }: Exchange): void => {
  reset();
};
const cutOff = ({ response, reset }: Exchange): void => {
  response.writeHead(200, { ...resultType, "content-length": 5000 }).write(nak, reset);
};

describe("a server that lists its refs, and answers a fetch", () => {
  const refusals = [400, 401, 403, 404, 405, 410, 413, 415, 500, 502, 504];
  test.each<readonly [string, Handler, "failed" | "timeout" | undefined]>([
    ...refusals.map((status) => [`with status ${status}`, page(status), "failed"] as const),
    ["with status 429", page(429, { "retry-after": "60" }), undefined],
    ["with status 503", page(503), undefined],
    ["with nothing", result(""), "failed"],
    ["with a page", page(200), "failed"],
    ["with a redirect to a login page", page(302, { location: "/users/sign_in" }), "failed"],
    ["with a missing tree", result(`${nak}${pktLine("\x03fatal: unable to read tree\n")}0000`), "failed"],
    ["with an unknown error", result(pktLine("ERR access denied")), "failed"],
    ["that its branch moved", result(pktLine(`ERR upload-pack: not our ref ${"1".repeat(40)}`)), undefined],
    ["that it limits downloads", result(pktLine("ERR temporarily limiting; retry later")), undefined],
    ["with GitHub's header", result(pktLine("ERR no"), { "x-github-edge-message": "limiting" }), undefined],
    ["with half a pack", result(`${nak}${pktLine("\x01PACK\0\0\0\x02\0\0\0\x01")}`), "failed"],
    ["without a pack", result(nak), "failed"],
    ["with an end alone", result("0000"), "failed"],
    ["that it has nothing", result(`${nak}${pktLine("\x01PACK\0\0\0\x02\0\0\0\0")}0000`), "failed"],
    ["with a Cloudflare check", page(403, { "cf-mitigated": "challenge" }), undefined],
    ["with a cookie of Anubis", page(200, { "set-cookie": "techaro.lol-anubis-auth=1" }), undefined],
    ["less than it announced", after(cutOff), "timeout"],
    ["with a reset", after(hangUp), "timeout"],
  ])("%s", async (_, post, expected) => {
    expect(await fetchedFrom([await startMirror(post)])).toEqual([expected]);
  });

  test("with a redirect to a good server: Git follows it only for the list", async () => {
    const good = await startMirror(backend);
    const post = page(302, { location: `${good}/git-upload-pack` });
    expect(await fetchedFrom([await startMirror(post)])).toEqual(["failed"]);
  });

  test("with silence, before or after its first line", async () => {
    const silent = await startMirror(() => undefined);
    const slow = await startMirror(({ response }) => void response.writeHead(200, resultType).write(nak));
    const expected = ["timeout", "timeout"];
    // On a machine that stalls, a run counts no silence.
    await expect.poll(() => fetchedFrom([silent, slow], "8s")).toEqual(expected);
  });
});

describe("a good server", () => {
  async function proved(folder: string, change: (exchange: Exchange) => void = () => undefined) {
    const requests: string[] = [];
    const served = testbed.gitServer(folder);
    const { url } = await testbed.startServer((exchange) => {
      change(exchange);
      requests.push(exchange.request.method ?? "");
      return served(exchange);
    });
    return { fetched: await fetchedFrom([url]), requests };
  }

  test("has an ok", async () => {
    expect(await proved(graph.folder)).toEqual({ fetched: ["ok"], requests: ["GET", "POST"] });
  });

  test("with SHA-256", async () => {
    const sha256 = await makeGraph(line(2), { "refs/heads/main": 1 }, "--object-format=sha256");
    expect(sha256.ids[0]).toHaveLength(64);
    expect(await proved(sha256.folder)).toEqual({ fetched: ["ok"], requests: ["GET", "POST"] });
  });

  test("after a redirect, where the list is", async () => {
    const good = await startMirror(backend);
    const { url } = await testbed.startServer(({ response, path }) => {
      response.writeHead(301, { location: `${good}${path}` }).end();
    });
    expect(await fetchedFrom([url])).toEqual(["ok"]);
  });

  test.each(["sha1", "sha256"])("that speaks version 2 only, with %s", async (format) => {
    const { folder } = await makeGraph(line(2), { "refs/heads/main": 1 }, `--object-format=${format}`);
    const version2 = ({ request }: Exchange): void => {
      request.headers["git-protocol"] = "version=2";
    };
    expect(await proved(folder, version2)).toEqual({ fetched: ["ok"], requests: ["GET", "POST", "POST"] });
  });

  test("without commits is not asked, nor is one that is dumb", async () => {
    const empty = await makeGraph([], {});
    expect(await proved(empty.folder)).toEqual({ fetched: [undefined], requests: ["GET"] });
    const dumb = await testbed.startServer(({ response }) => {
      response.writeHead(200, { "content-type": "text/plain" }).end(`${graph.ids[2]}\trefs/heads/main\n`);
    });
    expect(await fetchedFrom([dumb.url])).toEqual([undefined]);
    expect(dumb.requests).toBe(1);
  });
});

test("if most proofs of a host fail, its failures don't count", async () => {
  const failing = new Set(["/a", "/b"]);
  const { url } = await testbed.startServer((exchange) => {
    const { request, path } = exchange;
    const place = path.slice(0, 2);
    if (request.method === "POST" && failing.has(place)) return page(502)(exchange);
    return backend({ ...exchange, path: path.slice(2) });
  });
  const of = (...names: readonly string[]) => fetchedFrom(names.map((name) => `${url}/${name}`));
  expect(await of("a", "b", "c")).toEqual([undefined, undefined, "ok"]);
  expect(await of("a", "b", "c", "d")).toEqual(["failed", "failed", "ok", "ok"]);
  expect(await of("a")).toEqual(["failed"]);
});

describe("a proof is due", () => {
  const now = 100 * day;
  const id = "a".repeat(40);
  const url = new URL("http://a.example.org/");
  const uploadPack: UploadPack = { url, version: 0, capabilities: [], tellsHistory: true };
  const mirrorsAt = (hosts: readonly string[]): GitMirror[] =>
    nodesAt(hosts).map((node) => {
      return { node, uploadPack, revision: id, head: "refs/heads/main", refs: new Map() };
    });
  const proof = (ageMs: number, more: Partial<KnownProof> = {}): KnownProof => ({
    ...{ at: now - ageMs, revision: id.slice(0, 16), failures: 0 },
    ...more,
  });

  test("after a failure, then for a new commit, then after a day", () => {
    const proofs = [
      proof(2 * day),
      proof(3 * day),
      proof(0, { revision: "b".repeat(16) }),
      undefined,
      proof(0, { failures: 1 }),
      proof(day),
      proof(0),
    ];
    const mirrors = mirrorsAt(proofs.map(() => "a.example.org"));
    const due = dueProofs(mirrors, (node) => proofs[node - 1], now);
    expect(due.map(({ node }) => node.id)).toEqual([5, 4, 3, 2, 1]);
  });

  test("for at most 20 mirrors of a host", () => {
    const eachTimes = (count: number) =>
      ["a.example.org", "b.example.org"].flatMap((host) => Array<string>(count).fill(host));
    const due = dueProofs(mirrorsAt(eachTimes(30)), () => undefined, now);
    expect(due.map(({ node }) => node.host)).toEqual(eachTimes(20));
  });

  test("and is not repeated in a run that knows of it", async () => {
    const server = await testbed.startServer(backend);
    const proofOf = (): KnownProof => ({ at: Date.now(), revision: graph.ids[2] ?? "", failures: 0 });
    expect(await fetchedFrom([server.url], "60s", proofOf)).toEqual([undefined]);
    expect(server.requests).toBe(1);
  });
});
