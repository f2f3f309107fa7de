import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as registry from "../../src/channels/registry.ts";
import { renderText } from "../../src/channels/text.ts";
import { eventNames, notifyRules } from "../../src/config/notify.ts";
import { listNodes } from "../../src/config/nodes.ts";
import type { Config } from "../../src/config/schema.ts";
import { validateConfig } from "../../src/config/validate.ts";
import { variablesOf } from "../../src/notify/send.ts";
import { isObject } from "../../src/config/outline.ts";
import { composed, hoursBefore, notifyState } from "../support/notified.ts";
import { runConsole } from "../support/console.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { readWorkflow } from "../support/workflow.ts";

const guide = readFileSync(".github/docs/notifications.md", "utf8");
const [whole = ""] = blocks("json");
const samples = blocks("json5");

function blocks(language: string): string[] {
  return [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text = ""]) => text,
  );
}

/** Returns the configuration of a part of mirrors.json: with the mirrors of the first sample, and the channels it names. */
function configOf(part: string): Config {
  const sample: unknown = JSON.parse(`{${part}}`);
  const complete: unknown = JSON.parse(whole);
  if (!isObject(sample) || !isObject(complete)) throw new Error("A sample is not an object.");
  const own = isObject(sample["channels"]) ? sample["channels"] : {};
  const names = ["ops", "boss", "vdm", "jcb-team", "joomengine"];
  const channels = Object.fromEntries(
    names.map((name) => [name, { type: "webhook", ...registry.webhook.example }]),
  );
  return validateConfig(
    JSON.stringify({ ...complete, ...sample, channels: { ...channels, ...own } }),
    "notifications.md",
  );
}

test.each(samples.map((part, index) => ({ number: index + 1, part })))(
  "sample $number is valid",
  ({ part }) => {
    expect(() => configOf(part)).not.toThrow();
  },
);

test("the samples have every type of channel, and the contacts of the text", () => {
  const types = samples.flatMap((part) => Object.values(configOf(part).channels).map(({ type }) => type));
  expect(new Set(types)).toEqual(new Set(Object.keys(registry)));
  const contacts = samples.find((part) => part.includes('"contacts"')) ?? "";
  expect(listNodes(configOf(contacts)).map(({ contact }) => contact)).toEqual(["jcb-team", "joomengine"]);
});

test("the mail that is shown is what a receiver gets", () => {
  const since = hoursBefore(3);
  const timeout = { status: 0, code: "timeout", phase: "connect", since } as const;
  const incident = "2026-11-22-abcdef";
  const incidents = {
    [incident]: { host: "git.example.org", code: "timeout", start: since, outages: [] },
  };
  const state = notifyState({ 1: timeout, 2: {}, 3: {}, 4: {} }, { incidents });
  const message = composed([{ event: "offline", nodes: [1], incident }], { state });
  expect(blocks("text")).toEqual([message && renderText(message)]);
});

test("the table of events has each with its default", () => {
  const [rule] = notifyRules(validateConfig(whole, "notifications.md"));
  const rows = [...guide.matchAll(/^\| `(\w+)` +\| .* \| (\d+)([hs]) +\|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(eventNames);
  const defaults = rows.map(([, , count, unit]) => Number(count) * (unit === "h" ? 3_600_000 : 1000));
  expect(eventNames.map((name) => rule?.afterMs(name))).toEqual(defaults);
});

test("the first sample needs no variable that the workflows do not pass on", () => {
  const { channels } = validateConfig(whole, "notifications.md");
  const examples = { ops: channels["ops"], hook: configOf("").channels["ops"] };
  const variables = Object.values(examples).flatMap((channel) =>
    channel === undefined ? [] : variablesOf(channel),
  );
  expect(variables).toHaveLength(5);
  for (const file of ["refresh.yml", "refresh-sharded.yml"]) {
    const workflow = readWorkflow(file);
    for (const name of variables) expect(workflow).toContain(` ${name}: \${{ secrets.${name} }}\n`);
    for (const name of variables) expect(guide).toContain(`\`${name}\``);
  }
});

test("the commands of the quick start run", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "mirrors.json"), whole);
  mkdirSync(join(folder, ".mirrorfeed"));
  const node = { status: 1, since: 1, transitions: [] };
  const state = {
    schema: 1,
    runs: [["one", Date.now()]],
    nodes: { 5: node, 6: node },
    references: {},
    vantages: {},
  };
  writeFileSync(join(folder, ".mirrorfeed/state.json"), JSON.stringify(state));
  const lines = blocks("sh").flatMap((block) => block.trimEnd().split("\n"));
  expect(lines).toHaveLength(2);
  const printed = await runConsole(lines.map((line) => `$ ${line}\n`).join(""), { folder });
  expect(printed.match(/^No message is due\.$/gm)).toHaveLength(2);
});
