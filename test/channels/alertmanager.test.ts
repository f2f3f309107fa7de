import { expect, test } from "vitest";
import * as z from "zod";
import { alertmanager } from "../../src/channels/alertmanager.ts";
import type { Delivery } from "../../src/channels/channel.ts";
import type { Message } from "../../src/channels/message.ts";
import { alertmanagerProgram, password, startAlertmanager } from "../support/alertmanager.ts";
import { type Received, receiver } from "../support/receiver.ts";
import { describeWith } from "../support/requirement.ts";
import { endMessage, message, messageEvent, sendContext, type SendingOptions } from "../support/sending.ts";
import { serveRoutes } from "../support/serving.ts";

const dayMs = 86_400_000;

function send(url: string, what: Message, more: SendingOptions & { entry?: object } = {}): Promise<Delivery> {
  const { entry, ...options } = more;
  return alertmanager.send(what, { url, ...entry }, sendContext(options));
}

const alertsSchema = z.array(
  z.object({
    labels: z.record(z.string(), z.string()),
    annotations: z.record(z.string(), z.string()),
    startsAt: z.string(),
    endsAt: z.string(),
    generatorURL: z.string(),
  }),
);
type Alert = z.infer<typeof alertsSchema>[number];

/** Returns the alerts that stand. */
async function alertsOf(url: string): Promise<Alert[]> {
  return alertsSchema.parse(await (await fetch(`${url}/api/v2/alerts`)).json());
}

async function post(url: string, alerts: readonly object[]): Promise<void> {
  const headers = { "content-type": "application/json" };
  await fetch(`${url}/api/v2/alerts`, { method: "POST", headers, body: JSON.stringify(alerts) });
}

const notified = z.object({
  status: z.enum(["firing", "resolved"]),
  alerts: z.array(z.object({ labels: z.record(z.string(), z.string()) })),
});

/** Returns whether Alertmanager notified its receiver of this. */
function says(status: "firing" | "resolved", label: string, value: string) {
  return ({ body }: Received): boolean => {
    const said = notified.parse(JSON.parse(body));
    return said.status === status && said.alerts.some(({ labels }) => labels[label] === value);
  };
}

describeWith("prometheus-alertmanager", alertmanagerProgram !== undefined, "Alertmanager", () => {
  test("notifies when an event begins, and when it ends", async () => {
    const { url: webhook, first } = await receiver();
    const url = await startAlertmanager(webhook);
    expect(await send(url, message())).toEqual({ outcome: "sent" });
    await first(says("firing", "event_id", messageEvent().id));
    const [alert, ...others] = await alertsOf(url);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      labels: {
        alertname: "MirrorfeedOffline",
        job: "mirrorfeed",
        event: "offline",
        event_id: "00000000000000e1",
        feed: "Mirrors of JCB",
        instance: "git.example.org",
        target: "community/jcb/packages",
      },
      annotations: { summary: "git.example.org is offline", command: expect.stringContaining("--explain") },
      startsAt: "2026-03-10T10:00:00.000Z",
      generatorURL: "https://status.example.org/incidents/#i1",
    });
    expect(await send(url, endMessage())).toEqual({ outcome: "sent" });
    await first(says("resolved", "event_id", messageEvent().id));
    expect(await alertsOf(url)).toEqual([]);
  });

  test("keeps the alert after the time in which it forgets others", async () => {
    const { url: webhook, first } = await receiver();
    const url = await startAlertmanager(webhook);
    await send(url, message());
    await post(url, [{ labels: { alertname: "WithoutEnd" } }]);
    await first(says("resolved", "alertname", "WithoutEnd"));
    const [alert, ...others] = await alertsOf(url);
    expect(others).toEqual([]);
    expect(alert?.labels["event_id"]).toBe(messageEvent().id);
    expect(Date.parse(alert?.endsAt ?? "")).toBeGreaterThan(Date.now() + 300 * dayMs);
  });

  test("has one alert however often the begin is sent, and whatever its mirrors are then", async () => {
    const { url: webhook, first } = await receiver();
    const url = await startAlertmanager(webhook);
    await send(url, message());
    await send(url, message());
    const elsewhere = { host: undefined, place: undefined, mirrors: [] };
    await send(url, message({ ...elsewhere, title: "Two hosts are offline", phase: "change" }));
    const [alert, ...others] = await alertsOf(url);
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      labels: { instance: "git.example.org" },
      annotations: { summary: "Two hosts are offline" },
    });
    await send(url, endMessage(elsewhere), { entry: { labels: { team: "new" } } });
    await first(says("resolved", "event_id", messageEvent().id));
    expect(await alertsOf(url)).toEqual([]);
  });

  test("gets nothing about the end of what it does not know", async () => {
    const { url: webhook } = await receiver();
    const url = await startAlertmanager(webhook);
    expect(await send(url, endMessage())).toEqual({ outcome: "sent" });
    expect(await send(url, message({ phase: "change" }))).toEqual({ outcome: "sent" });
    expect(await alertsOf(url)).toEqual([]);
  });

  test("gets a digest as one alert for each event, and its end for those that ended", async () => {
    const { url: webhook, first } = await receiver();
    const url = await startAlertmanager(webhook);
    const events = Array.from({ length: 200 }, (_, at) =>
      messageEvent({ id: at.toString(16).padStart(16, "0"), host: `h${at}.example.org` }),
    );
    await send(url, message({}, { events }));
    expect(await alertsOf(url)).toHaveLength(200);
    const ended = events
      .slice(0, 199)
      .map((event) => ({ ...event, phase: "end" as const, until: event.since }));
    await send(url, endMessage({}, { events: ended }));
    await first(says("resolved", "event_id", "00000000000000c6"));
    expect((await alertsOf(url)).map(({ labels }) => labels["instance"])).toEqual(["h199.example.org"]);
  });

  test("keeps an alert of what has no end for a day", async () => {
    const { url: webhook } = await receiver();
    const url = await startAlertmanager(webhook);
    await send(url, message({ event: "rewritten" }));
    const [alert] = await alertsOf(url);
    expect(alert?.labels["alertname"]).toBe("MirrorfeedRewritten");
    expect(Date.parse(alert?.endsAt ?? "")).toBeLessThan(Date.now() + dayMs);
  });

  test("takes a user and a password, and labels for its routes", async () => {
    const { url: webhook, first } = await receiver();
    const url = await startAlertmanager(webhook, { asksForPassword: true });
    expect(await send(url, message())).toMatchObject({
      outcome: "failed",
      reason: expect.stringContaining("401"),
    });
    const entry = { userEnv: "AM_USER", passwordEnv: "AM_PASSWORD", labels: { team: "mirrors" } };
    const secrets = { AM_USER: "mirrors", AM_PASSWORD: password };
    expect(await send(url, message(), { entry, secrets })).toEqual({ outcome: "sent" });
    await first(says("firing", "team", "mirrors"));
  });

  test("takes any name as text", async () => {
    const { url: webhook, first } = await receiver();
    const url = await startAlertmanager(webhook);
    const evil = '{{ .Labels }} "}]\\ <script> @everyone ${x} é\u2603';
    await send(url, message({ title: evil, host: evil, place: evil }, { feed: { title: evil } }));
    await first(says("firing", "instance", evil));
    expect(await alertsOf(url)).toMatchObject([{ labels: { feed: evil }, annotations: { summary: evil } }]);
  });
});

test.each([["not JSON"], ['{"alerts":[]}'], ["[".repeat(100_000)]])(
  "an answer that is not of Alertmanager is a failure, and nothing is sent to it: %#",
  async (document) => {
    const server = await serveRoutes({}, ({ response, request }) => {
      expect(request.method).toBe("GET");
      response.end(document);
    });
    expect(await send(server.url, message())).toMatchObject({ outcome: "failed" });
  },
);

test("the URL may have a path, and holds no password", async () => {
  const { url, requests } = await receiver();
  await send(`${url}/alerts/?x=1`, message());
  expect(requests[0]?.path).toBe("/alerts/api/v2/alerts?filter=job%3D%22mirrorfeed%22");
  expect(alertmanager.options.url.safeParse("https://a:b@alerts.example.org").success).toBe(false);
  expect(alertmanager.options.url.safeParse("https://alerts.example.org").success).toBe(true);
});
