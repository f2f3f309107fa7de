import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { channelTypes, variablesOf } from "../../src/core/config/channels.ts";
import { renderText } from "../../src/features/notify/channels/message.ts";
import { listNodes } from "../../src/core/config/nodes.ts";
import type { Config } from "../../src/core/config/config-schema.ts";
import { blocksOf, loadDocument, textsBelow } from "../support/document.ts";
import { configFrom, mirrorsJson } from "../support/mirrors-json.ts";
import { message } from "../support/sending.ts";
import { runConsole, withoutChance } from "../support/console.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { readWorkflow } from "../support/workflow.ts";

const guide = loadDocument(".github/docs/notifications.md");
const samples = blocks("json5");
const base = mirrorsJson([{ id: 1, url: "https://git.example.org/a/b" }]);
const quickStart = { ...base, ...(JSON.parse(`{${samples[0] ?? ""}}`) as object) };

function blocks(language: string): string[] {
  return blocksOf(guide, language).map(({ text }) => text);
}

/** Returns the quick start's configuration with this JSON added. All channels that the JSON does not declare are webhooks. */
function configOf(part: string): Config {
  const sample = JSON.parse(`{${part}}`) as { channels?: object };
  const names = ["ops", "boss", "vdm", "jcb-team", "joomengine"];
  const channels = Object.fromEntries(
    names.map((name) => [name, { type: "webhook", ...channelTypes.webhook.example }]),
  );
  const file = { ...quickStart, ...sample };
  return configFrom({ ...file, channels: { ...channels, ...sample.channels } });
}

test("the samples have every type of channel, and the contacts of the text", () => {
  const types = samples.flatMap((part) => Object.values(configOf(part).channels).map(({ type }) => type));
  expect(new Set(types)).toEqual(new Set(Object.keys(channelTypes)));
  const contacts = samples.find((part) => part.includes('"contacts"')) ?? "";
  expect(listNodes(configOf(contacts)).map(({ contact }) => contact)).toEqual(["jcb-team", "joomengine"]);
});

test("the mail that is shown is what a receiver gets", () => {
  expect(blocks("text")).toEqual([renderText(message())]);
});

test("the first sample needs no variable that the workflows do not pass on", () => {
  const { channels } = configFrom(quickStart);
  const variables = [channels["ops"], configOf("").channels["ops"]].flatMap((channel) =>
    channel === undefined ? [] : variablesOf(channel),
  );
  expect(variables).toHaveLength(5);
  for (const file of ["refresh.yml", "refresh-sharded.yml"]) {
    const workflow = readWorkflow(file);
    for (const name of variables) expect(workflow).toContain(` ${name}: \${{ secrets.${name} }}\n`);
    for (const name of variables) expect(guide.text).toContain(`\`${name}\``);
  }
});

test("the commands of the quick start run, and print what a reader in trouble sees", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "mirrors.json"), JSON.stringify(quickStart));
  mkdirSync(join(folder, ".mirrorfeed"));
  const node = { status: 1, since: 1, transitions: [] };
  const state = { schema: 1, runs: [["one", Date.now()]], nodes: { 1: node }, references: {}, vantages: {} };
  writeFileSync(join(folder, ".mirrorfeed/state.json"), JSON.stringify(state));
  const lines = blocks("sh").flatMap((block) => block.trimEnd().split("\n"));
  expect(lines).toHaveLength(2);
  const printed = await runConsole(lines.map((line) => `$ ${line}\n`).join(""), { folder });
  expect(printed.match(/^Nothing to send\.$/gm)).toHaveLength(2);
  const trouble = loadDocument(".github/docs/troubleshooting.md");
  const [sample = ""] = textsBelow(trouble, "Notifications don't arrive", "console");
  expect(await runConsole(sample, { folder })).toBe(withoutChance(sample));
});
