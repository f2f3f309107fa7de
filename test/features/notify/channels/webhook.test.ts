import { createHmac } from "node:crypto";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import type { Delivery } from "../../../../src/features/notify/channels/channel.ts";
import { signatureHeaders, webhook } from "../../../../src/features/notify/channels/webhook.ts";
import { type Message, webhookJsonSchema } from "../../../../src/features/notify/channels/message.ts";
import { startServer, type Handler } from "../../../support/mirror-server.ts";
import { receiver } from "../../../support/receiver.ts";
import {
  endMessage,
  message,
  messageEvent,
  sendContext,
  type SendingOptions,
} from "../../../support/sending.ts";
import { serve } from "../../../support/serving.ts";

const secret = `whsec_${Buffer.from("a key of 24 bytes or more").toString("base64")}`;
const now = Date.parse("2026-03-10T12:00:07.500Z");

async function send(
  url: string,
  what: Message,
  { entry, ...options }: SendingOptions & { entry?: object } = {},
): Promise<Delivery> {
  const environment = { HOOK_URL: url, HOOK_SECRET: secret, ...options.environment };
  return webhook.send(what, { urlEnv: "HOOK_URL", ...entry }, await sendContext({ ...options, environment }));
}

/** Returns the outcome of sending a message to a receiver that gives this answer. */
async function outcomeOf(answer: Handler): Promise<Delivery> {
  return send((await serve(answer)).url, message(), { now: () => now });
}

const failed = { outcome: "failed" };
const signed = { entry: { secretEnv: "HOOK_SECRET" }, now: () => now };

test("a begin and an end arrive as JSON of the published schema, named and signed", async () => {
  const { url, requests } = await receiver();
  expect(await send(`${url}/hook?key=1`, message(), signed)).toEqual({ outcome: "sent" });
  expect(await send(`${url}/hook?key=1`, endMessage(), signed)).toEqual({ outcome: "sent" });
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(webhookJsonSchema());
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(Array(2).fill("POST /hook?key=1"));
  for (const { headers, body } of requests) {
    expect(validate(JSON.parse(body)), JSON.stringify(validate.errors)).toBe(true);
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["idempotency-key"]).toBe(headers["webhook-id"]);
    expect(headers["webhook-timestamp"]).toBe("1773144007");
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const content = `${String(headers["webhook-id"])}.1773144007.${body}`;
    const expected = createHmac("sha256", key).update(content).digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${expected}`);
  }
  const [begin, end] = [message(), endMessage()].map(({ id }) => {
    return { type: "notification", data: { id, events: [{ id: "0000000000000001" }] } };
  });
  expect(requests.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([begin, end]);
});

test("the signature is that of the example of Standard Webhooks", () => {
  const headers = signatureHeaders(
    "msg_p5jXN8AQM9LWM0D4loKWxJek",
    1_614_265_330_000,
    '{"test": 2432232314}',
    Buffer.from("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "base64"),
  );
  expect(headers.at(-1)).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("user and password of the URL are sent by Basic authentication, and not in the path", async () => {
  const { url, requests } = await receiver();
  await send(`${url.replace("://", "://:tk%5F1%@")}/topic`, message());
  expect(requests[0]?.path).toBe("/topic");
  expect(requests[0]?.headers["authorization"]).toBe(`Basic ${Buffer.from(":tk_1%").toString("base64")}`);
});

test.each<[status: number, headers: Record<string, string>, delivery: object]>([
  [204, {}, { outcome: "sent" }],
  [308, { location: "/elsewhere" }, failed],
  [401, {}, failed],
  [410, {}, failed],
  [429, { "retry-after": "120" }, { ...failed, retryAfterMs: 120_000 }],
  [429, { "retry-after": "soon" }, { ...failed, retryAfterMs: undefined }],
  [503, { "retry-after": "Tue, 10 Mar 2026 12:01:00 GMT" }, { ...failed, retryAfterMs: 52_500 }],
  [500, {}, failed],
  [504, {}, { ...failed, mayHaveArrived: true }],
])("an answer %i with %j", async (status, headers, delivery) => {
  let count = 0;
  const result = await outcomeOf(({ response }) => {
    count += 1;
    response.writeHead(status, headers).end();
  });
  expect(result).toMatchObject(delivery);
  expect(count).toBe(1);
  if (result.outcome !== "sent") expect(result.reason).toMatch(/^[A-Z][^:/]*\.$/);
});

test("an endless answer, a reset and a wait end as failures, without an address in the reason", async () => {
  const endless = await outcomeOf(({ response }) => {
    response.writeHead(200);
    response.on("drain", () => response.write("x".repeat(65_536)));
    response.write("x".repeat(1_000_000));
  });
  expect(endless).toEqual({ outcome: "sent" });
  expect(
    await outcomeOf(({ reset }) => {
      reset();
    }),
  ).toEqual({ ...failed, reason: "It dropped the connection before it answered.", mayHaveArrived: true });
  const closed = await startServer(() => undefined);
  await closed.close();
  expect(await send(closed.url, message())).toEqual({ ...failed, reason: "It refused the connection." });
});

test("an interrupt is not a failure: it ends the sending", async () => {
  const interrupt = new AbortController();
  const { url } = await serve(() => {
    interrupt.abort(new Error("interrupted"));
  });
  await expect(send(url, message(), { signal: interrupt.signal })).rejects.toThrow("interrupted");
});

test("to Slack it is a text in mrkdwn", async () => {
  const { url, requests } = await receiver();
  await send(url, endMessage(), { entry: { body: "slack" } });
  const body: unknown = JSON.parse(requests[0]?.body ?? "");
  expect(body).toMatchInlineSnapshot(`
    {
      "text": "*\`git.example.org/a/one\` is back after 3 hours*
    It has no known problems.
    Since: 22 Nov 2026, 09:00 UTC
    Until: 22 Nov 2026, 12:00 UTC
    <https://status.example.org/feed/incidents/2026-11-22-abcdef/|Details>
    • \`git.example.org/a/one\` (\`s/p/one\`)
    <https://status.example.org/feed/|All mirrors>
    You get this because of the rule rule-1 for the channel ops.
    To stop these notifications, remove ops from the rules and contacts in mirrors.json, or ask whoever runs Mirrors of example \`(https://status.example.org/feed/)\` to do so.",
      "unfurl_links": false,
      "unfurl_media": false,
    }
  `);
});

test("to ntfy it is JSON at the root, with the topic of the URL", async () => {
  const { url, requests } = await receiver();
  expect(await send(`${url}/mirrors_1`, message(), { entry: { body: "ntfy" } })).toEqual({ outcome: "sent" });
  expect(requests[0]?.path).toBe("/");
  const body: unknown = JSON.parse(requests[0]?.body ?? "");
  expect(body).toMatchInlineSnapshot(`
    {
      "click": "https://status.example.org/feed/incidents/2026-11-22-abcdef/",
      "message": "It did not accept a connection in time.
    Since: 22 Nov 2026, 09:00 UTC
    Details: https://status.example.org/feed/incidents/2026-11-22-abcdef/
    • git.example.org/a/one (s/p/one)
    All mirrors: https://status.example.org/feed/
    You get this because of the rule rule-1 for the channel ops.
    To stop these notifications, remove ops from the rules and contacts in mirrors.json, or ask whoever runs Mirrors of example (https://status.example.org/feed/) to do so.",
      "priority": 4,
      "tags": [
        "rotating_light",
      ],
      "title": "git.example.org/a/one is offline",
      "topic": "mirrors_1",
    }
  `);
  expect(await send(url, message(), { entry: { body: "ntfy" } })).toMatchObject({ outcome: "failed" });
});

test.each([
  ["slack", "text", 4000],
  ["ntfy", "message", 4096],
])(
  "a text for %s is short, however many events there are, and keeps why it came",
  async (body, key, limit) => {
    const { url, requests } = await receiver();
    const event = messageEvent({ title: "ä event", sentence: "ä".repeat(400) });
    const events = Array<typeof event>(5000).fill(event);
    await send(`${url}/topic`, message({}, { events }), { entry: { body } });
    const text = (JSON.parse(requests[0]?.body ?? "") as Record<string, string>)[key] ?? "";
    expect(Buffer.byteLength(text)).toBeLessThan(limit);
    expect(text).toContain("…");
    expect(text).toContain("To stop these notifications");
  },
);

test("public/webhook.schema.json is that of the code; `npx vitest run test/features/notify/channels/webhook.test.ts -u` writes it", async () => {
  await expect(`${JSON.stringify(webhookJsonSchema(), null, 2)}\n`).toMatchFileSnapshot(
    "../../../../public/webhook.schema.json",
  );
});
