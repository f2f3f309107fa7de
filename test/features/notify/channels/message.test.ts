import { expect, test } from "vitest";
import { renderText } from "../../../../src/features/notify/channels/message.ts";
import { mirrorsJson } from "../../../support/mirrors-json.ts";
import { endMessage } from "../../../support/sending.ts";
import { composed, notifyConfig, notifyState, timeout } from "../../../support/notified-feed.ts";

const state = notifyState({ 1: timeout, 2: {}, 3: {}, 4: {} });

test("a message that ends as text says how long it lasted", () => {
  expect(renderText(endMessage())).toMatch(
    /^git\.example\.org\/a\/one is back after 3 hours\n\nIt has no known problems\.\n\nSince: .*\nUntil: .*\n/,
  );
});

test("a summary as text has the first ten events, and says how many more there are", () => {
  const behind = { ...timeout, status: 1, code: "ok", freshness: "behind", late: true } as const;
  const events = Array.from({ length: 25 }, () => ({ event: "differs" as const, nodes: [2] }));
  const text = renderText(composed(events, { state: notifyState({ 2: behind }) }));
  expect(text).toMatch(/^25 events: 25 differs\n/);
  expect(text.match(/has differed from the reference for 3 hours/g)).toHaveLength(10);
  expect(text).toContain("\n\nAnd 15 more events.\n\n");
});

test("a text breaks neither URLs nor commands", () => {
  const url = `https://git.example.org/${"long/".repeat(100)}it's`;
  const config = notifyConfig(mirrorsJson([{ id: 1, url }]));
  const lines = renderText(composed([{ event: "offline", nodes: [1] }], { state, config })).split("\n");
  expect(lines).toContain(`    ${url}`);
  expect(lines).toContain(`    mirrorfeed probe '${url.replace("'", String.raw`'\''`)}' --explain`);
});
