import { join } from "node:path";
import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { probeUrl } from "../../../src/app/commands/probe-command.ts";
import { runFeed } from "../../../src/app/run.ts";
import { tell } from "../../support/notified-feed.ts";
import { composeMessage } from "../../../src/features/notify/compose.ts";
import { startServer } from "../../support/mirror-server.ts";
import { advertisement } from "../../support/advertisement.ts";
import { closeAfterTest } from "../../support/close-after-test.ts";
import { recorded } from "../../support/command-context.ts";
import { published } from "../../support/folder.ts";
import { configFrom, mirrorsJson, networkAt } from "../../support/mirrors-json.ts";
import { hasIpv6 } from "../../support/loopback.ts";
import { startNameServer } from "../../support/name-server.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { openState } from "../../support/stored.ts";
import { resolveStored } from "../../../src/app/advance-feed.ts";

const title = hasIpv6 ? "" : " (skipped: this machine has no IPv6 loopback)";

/** Starts two mirrors with different names, both with two addresses. The first one does not listen at ::1. */
async function startTwo() {
  const loopback = (family: number) => ({ addresses: [family === 4 ? "127.0.0.1" : "::1"] });
  const names = closeAfterTest(await startNameServer((_, family) => loopback(family)));
  const dead = closeAfterTest(await startServer(advertisement()));
  const alive = closeAfterTest(await startServer(advertisement()));
  closeAfterTest(await startServer(advertisement(), { host: "::1", port: alive.port }));
  return { names, hosts: [`dead.test:${dead.port}`, `alive.test:${alive.port}`] as const, dead };
}

test.skipIf(!hasIpv6)(
  `report, pages, lists, run and notifications name a family that fails${title}`,
  async () => {
    const { names, hosts, dead } = await startTwo();
    const folder = temporaryFolder();
    const config = configFrom(
      mirrorsJson(networkAt([...hosts.map((host) => `http://${host}/a`), `http://${hosts[0]}/b`]), {
        probe: { kind: "http", http: { content: { sha256: "reference" } }, allowPrivate: true, attempts: 1 },
        site: { url: "https://status.example.org" },
        ...{ channels: { ops: { type: "webhook", urlEnv: "HOOK" } }, notify: { to: ["ops"] } },
      }),
    );
    const options = {
      config: join(folder, "mirrors.json"),
      out: join(folder, "_site"),
      state: join(folder, "state.json"),
      stateRemote: undefined,
      dns: [names.address],
    };
    let now = Date.parse("2026-03-10T12:00:00Z");
    const run = async (minutes: number) => {
      now += minutes * 60_000;
      const { context, printed } = recorded({ now: () => now });
      expect(await runFeed(config, options, context)).toBe(0);
      const state = await openState(options, context).load();
      if (state === undefined) throw new Error("There is no state.");
      return { output: printed.join("\n"), site: published(options.out), state };
    };
    const first = await run(0);
    expect(first.output).toContain("It cannot be reached over IPv6.");
    const [report, page, list] = [
      "v1/report/s/p/t/index.json",
      "status/s/p/t/index.html",
      "mirrorlist/s/p/t.meta4",
    ].map((path) => first.site[path] ?? "");
    const { network } = JSON.parse(report ?? "") as { network: { families: object; status: number }[] };
    expect(network.map(({ status, families }) => [status, families])).toEqual([
      [1, { ipv4: "ok", ipv6: "refused" }],
      [1, { ipv4: "ok", ipv6: "ok" }],
      [1, { ipv4: "ok", ipv6: "refused" }],
    ]);
    expect(page?.match(/not reachable over IPv6/g)).toHaveLength(2);
    expect(page).toContain("<dt>IPv6<dd>It refused the connection. <code>refused</code>");
    expect(list).toContain("Warning: 2 of 3 mirrors cannot be reached over IPv6.");
    expect(first.state.notifications).toBeUndefined();

    // Nothing is checked again within the hour. Then a second failure in a row creates an event about the host.
    expect(tell(config, (await run(30)).state).said).toEqual([]);
    const told = tell(config, (await run(30)).state);
    expect(told.said).toEqual([`ops begin ipv6_unreachable ${hosts[0]}`]);
    const lines = Object.entries(told.state.notifications?.lines ?? {});
    const message = composeMessage(resolveStored(config, listNodes(config), told.state), "ops", lines);
    expect(message).toMatchObject({
      title: `${hosts[0]} cannot be reached over IPv6`,
      events: [{ event: "ipv6_unreachable", mirrors: [{ id: 1 }, { id: 3 }] }],
    });
    expect(message.events[0]?.mirrors[0]?.evidence).toMatchObject([
      { name: "State", value: "online" },
      { name: "IPv6", value: "refused" },
      { name: "Other mirrors", value: "2 online" },
    ]);

    closeAfterTest(await startServer(advertisement(), { host: "::1", port: dead.port }));
    // A single successful check does not end the event.
    const { notifications } = told.state;
    expect(tell(config, { ...(await run(60)).state, notifications }).said).toEqual([]);
    const last = await run(60);
    expect(last.output).not.toContain("IPv6");
    expect(tell(config, { ...last.state, notifications }).said).toEqual([
      `ops end ipv6_unreachable ${hosts[0]}`,
    ]);
  },
);

test.skipIf(!hasIpv6)(`probe --explain shows both families${title}`, async () => {
  const { names, hosts } = await startTwo();
  const explained = async (host: string, json: boolean): Promise<string> => {
    const { context, printed } = recorded({ now: Date.now });
    const url = `http://${host}/a`;
    const options = { url, timeoutMs: 5000, explain: true, json, allowPrivate: true, dns: [names.address] };
    await probeUrl(options, context);
    return printed.join("\n");
  };
  const text = await explained(hosts[0], false);
  expect(text).toMatch(/ms {2}not_connected +address ::1, code refused, cause ECONNREFUSED$/m);
  expect(text).toMatch(/ms {2}family +family ipv4, code ok, proven true$/m);
  expect(text).toMatch(/ms {2}family +family ipv6, code refused, proven false$/m);
  const { steps } = JSON.parse(await explained(hosts[1], true)) as { steps: { step: string }[] };
  expect(steps.filter(({ step }) => step === "family")).toMatchObject([
    { family: "ipv4", code: "ok", proven: true },
    { family: "ipv6", code: "ok", proven: true },
  ]);
});
