import { describe, expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import type { Control } from "../../../src/core/config/config-schema.ts";
import { type Handler, type RunningServer, startServer } from "../../support/mirror-server.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import { probeControl } from "../../../src/core/probe/control.ts";
import { withDeadline } from "../../../src/core/base/http/failure.ts";
import type { ControlObservation } from "../../../src/core/probe/observation.ts";
import { formatResults, parseResults } from "../../../src/core/probe/results.ts";
import { onlineVantages } from "../../../src/core/state/online.ts";
import { mergeResults } from "../../../src/core/state/round.ts";
import { certificateFor } from "../../support/certificates.ts";
import { closeAfterFile } from "../../support/close-after-test.ts";
import { misbehaviours } from "../../support/misbehaviours.ts";
import { clock, configOf, probeConfig, transportFor } from "../../support/probing.ts";

const welcome = "Welcome to the proof";
const loginPage = "<title>Log in to the guest network</title>";

async function start(behaviour: Handler, tls?: { key: string; cert: string }): Promise<RunningServer> {
  return closeAfterFile(await startServer(behaviour, { tls }));
}

function page(text: string, status = 200, headers: Readonly<Record<string, string>> = {}): Handler {
  return ({ response }) => {
    response.writeHead(status, headers).end(text);
  };
}

/** Answers with a status, a redirect or the text, as the path says. */
const obedient: Handler = ({ response, path }) => {
  const [, command = "", argument = ""] = path.split("/", 3);
  if (command === "status") response.writeHead(Number(argument), { "retry-after": "60" }).end("no text");
  else if (command === "to") response.writeHead(302, { location: decodeURIComponent(argument) }).end(welcome);
  else if (command === "loop") response.writeHead(302, { location: path }).end();
  else if (command === "long") response.end("-".repeat(Number(argument)) + welcome);
  else if (command === "pieces") {
    response.write(welcome.slice(0, 5));
    setImmediate(() => response.end(`${welcome.slice(5)}!`));
  } else response.end(`<p>${welcome}</p>`);
};

const certificate = await certificateFor("control.example.test");
const portalCertificate = await certificateFor("login.example.test");
/** The certificates of both hosts, which probes trust. */
const ca = `${certificate.cert}\n${portalCertificate.cert}`;
/** The control's two servers: one for HTTPS, with a matching certificate, and one for plain HTTP. */
const [secure, plain] = [await start(obedient, certificate), await start(obedient)];
/** The login host: it has a different name and its own certificate. */
const login = await start(page(loginPage + welcome), portalCertificate);

/** Resolves every name to loopback. */
const found = { first: ["127.0.0.1"], rest: Promise.resolve([]) };
const resolver = { close: () => undefined, resolve: () => Promise.resolve(found) };

const overTls = (path = ""): string => `https://control.example.test:${secure.port}/${path}`;
const overHttp = (path = ""): string => `http://control.example.test:${plain.port}/${path}`;
const elsewhere = (): string => `https://login.example.test:${login.port}/`;
const to = (url: string): string => `to/${encodeURIComponent(url)}`;

async function ask(given: Control, interrupt = new AbortController().signal): Promise<ControlObservation> {
  const control = typeof given === "string" ? { url: given } : given;
  const transport = transportFor({ ca, resolver });
  try {
    return await withDeadline(5000, interrupt, (signal) =>
      probeControl(signal, control, 5, transport, clock),
    );
  } finally {
    transport.close();
  }
}

test.each<[string, () => Control, Partial<ControlObservation>]>([
  ["over https with a valid certificate", () => overTls(), { proof: "tls", code: "ok", http_status: 200 }],
  ["whatever its status", () => overTls("status/404"), { proof: "tls", code: "http_status" }],
  ["429 included", () => overTls("status/429"), { proof: "tls", code: "rate_limited" }],
  ["by one from http to https", () => overHttp(to(overTls())), { proof: "tls", code: "ok" }],
  ["over http by its text", () => ({ url: overHttp(), text: welcome }), { proof: "text", code: "ok" }],
  ["by a text in pieces", () => ({ url: overHttp("pieces"), text: welcome }), { proof: "text" }],
  ["by a text within maxBytes", () => ({ url: overHttp("long/65000"), text: welcome }), { proof: "text" }],
])("a control proves a vantage online %s", async (_, control, expected) => {
  const answer = await ask(control());
  expect(answer).toMatchObject({ attempts: 1, ...expected });
  const isOverTls = answer.url.startsWith("https") || expected.proof === "tls";
  expect(answer.tls_expires_at !== undefined).toBe(isOverTls);
});

describe("a control proves nothing", () => {
  test.each<[string, () => Control, Partial<ControlObservation>]>([
    ["over http without a text", () => overHttp(), { code: "ok", http_status: 200 }],
    ["without the text", () => ({ url: overHttp(), text: "Goodbye" }), { code: "ok", http_status: 200 }],
    ["past maxBytes", () => ({ url: overHttp("long/300000"), text: welcome }), { code: "too_large" }],
    ["by 511 over https", () => overTls("status/511"), { code: "captive_portal", http_status: 511 }],
    ["by a redirect", () => ({ url: overHttp(to("/status/404")), text: welcome }), { code: "http_status" }],
    ["by a redirect to another host", () => overTls(to(elsewhere())), { code: "redirect" }],
    ["by a redirect without end", () => overTls("loop"), { code: "redirect" }],
    ["by another host's certificate", () => elsewhere().replace("login.", "other."), { code: "tls" }],
  ])("%s", async (_, control, expected) => {
    const requests = login.requests;
    expect(await ask(control())).toMatchObject({ proof: "none", ...expected });
    expect(login.requests).toBe(requests);
  });

  test("and an interrupt is not an answer", async () => {
    const silent = await start(() => undefined);
    const interrupt = new AbortController();
    const asking = ask(silent.url, interrupt.signal);
    setImmediate(() => {
      interrupt.abort(new Interrupted());
    });
    await expect(asking).rejects.toThrow(Interrupted);
  });
});

const loginAtHost: Handler = ({ response, path }) => {
  if (path === "/login") response.end(loginPage);
  else response.writeHead(302, { location: "/login" }).end();
};

/**
 * Captive portals. Over HTTP, they answer for any host. Over TLS, they present their own certificate or close the
 * connection.
 */
const portals: readonly { title: string; http: Handler; tls?: Handler }[] = [
  { title: "a login page", http: page(loginPage), tls: misbehaviours.reset() },
  { title: "a redirect to a login page", http: page("", 302, { location: elsewhere() }) },
  { title: "a login page at the same host", http: loginAtHost },
  { title: "511", http: page(loginPage, 511), tls: page(loginPage, 511) },
  { title: "503 with Retry-After", http: page(loginPage, 503, { "retry-after": "60" }) },
];

test.each(portals)(
  "behind a captive portal that answers with $title, no mirror is accused, whatever the controls",
  async ({ http, tls = page(loginPage) }) => {
    const portal = await start(http);
    const intercepting = await start(tls, portalCertificate);
    const mirrors = [
      `http://one.example.test:${portal.port}/a`,
      `https://two.example.test:${intercepting.port}/a`,
      `https://three.example.test:${intercepting.port}/a`,
    ];
    const inClear = `http://control.example.test:${portal.port}/`;
    const encrypted = `https://control.example.test:${intercepting.port}/`;
    const text = { url: inClear, text: welcome };
    for (const controls of [[], [inClear], [text], [encrypted], [inClear, text, encrypted]]) {
      const config = configOf(mirrors, { timeout: "5s", controls });
      const nodes = listNodes(config);
      const results = await probeConfig(config, {}, transportFor({ ca, resolver }));
      expect(parseResults(formatResults(results), "results.json", nodes)).toEqual(results);
      expect(results.controls.map(({ proof }) => proof)).toEqual(controls.map(() => "none"));
      expect(onlineVantages(nodes, mergeResults([results]).vantages)).toEqual([]);
    }
  },
);
