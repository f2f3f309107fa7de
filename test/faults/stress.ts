import { createSecureContext } from "node:tls";
import { listNodes } from "../../src/config/nodes.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { advertisement } from "../support/advertisement.ts";
import { type Misbehaviour, misbehaviours } from "../support/misbehaviours.ts";
import { type Behaviour, holdRefusedPort, startServer } from "../../src/testbed/server.ts";
import { probeAll } from "../../src/probe/probe-all.ts";
import { Transport } from "../../src/base/http/transport.ts";
import { createResolver } from "../../src/base/http/resolve.ts";
import { certificateFor } from "../support/certificates.ts";
import { type Reply, startNameServer } from "../support/name-server.ts";
import { clock } from "../support/probing.ts";
import { cuts, startCutServer, wholeAnswer } from "./cut-answers.ts";

/** A kind of mirror. `url` returns the URL of a mirror by its number, each at its own host. */
interface Kind {
  readonly kind: string;
  readonly url: (number: number) => string;
}

export interface Stress {
  readonly kinds: readonly Kind[];
  /** Probes these mirrors in one run and gives the code of each. */
  readonly probe: (urls: readonly string[], timeoutMs: number) => Promise<string[]>;
  readonly close: () => Promise<void>;
}

/** These keep a count of their own that many mirrors would share. */
const counting: readonly Misbehaviour[] = ["flaky"];

const names: Readonly<Record<string, Reply>> = {
  missing: "nxdomain",
  broken: "servfail",
  mute: "silence",
  late: { addresses: ["127.0.0.1"], afterMs: 200 },
};

/** Starts every kind of mirror there is, good and bad, each a server at every address of 127.0.0.0/8. */
export async function startStress(): Promise<Stress> {
  const open: { close: () => Promise<void> }[] = [];
  const keep = <Closable extends { close: () => Promise<void> }>(one: Closable): Closable => {
    open.push(one);
    return one;
  };
  const kinds: Kind[] = [];
  const everywhere = (kind: string, scheme: string, port: number, path = "mirror"): void => {
    kinds.push({ kind, url: (number) => `${scheme}://${addressOf(number)}:${port}/${path}` });
  };

  const behaviours: [kind: string, Behaviour][] = Object.entries(misbehaviours)
    .filter(([name]) => !counting.some((one) => one === name))
    .map(([name, behave]) => [name, behave()]);
  for (const [kind, behaviour] of [["good", advertisement()] as const, ...behaviours]) {
    const { port } = keep(await startServer(behaviour, { host: "0.0.0.0" }));
    everywhere(kind, "http", port);
  }
  const good = await certificateFor("mirror.test");
  for (const [kind, certificate] of [
    ["tls: no certificate of its own", good],
    ["tls: expired", await certificateFor("127.0.0.1", { expired: true })],
  ] as const) {
    const { port } = keep(await startServer(advertisement(), { tls: certificate, host: "0.0.0.0" }));
    everywhere(kind, "https", port);
  }
  const refused = keep(await holdRefusedPort());
  everywhere("refused", "http", refused.port);
  const cutServer = keep(await startCutServer());
  for (const cut of cuts)
    kinds.push({
      kind: `cut: ${cut}`,
      url: (number) => {
        const bytes = number % (wholeAnswer.length + 1);
        return `http://${addressOf(number)}:${cutServer.port}/${cut}/${bytes}`;
      },
    });

  const nameServer = keep(await startNameServer((name) => names[name.split(".")[1] ?? ""] ?? "nxdomain"));
  const { port } = keep(await startServer(advertisement()));
  for (const name of Object.keys(names))
    kinds.push({ kind: `dns: ${name}`, url: (number) => `http://m${number}.${name}.test:${port}/mirror` });

  return {
    kinds,
    probe: async (urls, timeoutMs) => probe(urls, timeoutMs, nameServer.address),
    close: async () => {
      await Promise.all(open.map((one) => one.close()));
    },
  };
}

/** An address of 127.0.0.0/8 for each number. */
function addressOf(number: number): string {
  return `127.${1 + ((number >> 16) & 127)}.${(number >> 8) & 255}.${number & 255}`;
}

async function probe(urls: readonly string[], timeoutMs: number, nameServer: string): Promise<string[]> {
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  const config = validateConfig(
    JSON.stringify({
      systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
      probe: { timeout: `${timeoutMs}ms`, attempts: 1, concurrency: 256, allowPrivate: true },
    }),
    "the stress test",
  );
  const resolver = createResolver(new Map(), [nameServer]);
  const transport = new Transport({
    resolver,
    secureContext: createSecureContext(),
    families: { ipv4: true, ipv6: true },
    isAllowed: () => true,
    proxies: undefined,
    userAgent: "mirrorfeed/test (+https://example.org)",
    maxBytes: 65_536,
  });
  try {
    const { observations } = await probeAll(config, listNodes(config), {
      run: "stress",
      vantage: "default",
      shard: { index: 1, count: 1 },
      prober: "test",
      verifySignature: () => Promise.resolve(undefined),
      transport,
      clock,
      interrupt: new AbortController().signal,
      onProgress: () => undefined,
    });
    return observations.map(({ code }) => code);
  } finally {
    transport.close();
  }
}
