import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { add, type AddOptions } from "../../../src/features/add/add-command.ts";
import { everything, folderWith } from "../../support/folder.ts";
import { mirrorsJson, networkAt } from "../../support/mirrors-json.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { recorded, sentence } from "../../support/command-context.ts";

const target = "s/p/t";
const first = "https://git.example.org/joomla/packages";
const second = "https://mirror.example.org/joomla/packages";
const third = "https://third.example.org/joomla/packages";

function feedOf(...urls: readonly string[]): string {
  return JSON.stringify(mirrorsJson(networkAt(urls, 5)), null, 2);
}

const feed = feedOf(first);

/** Writes a mirrors.json and returns its path. */
function written(text = feed): string {
  return join(folderWith({ "mirrors.json": text }), "mirrors.json");
}

async function run(urls: string[], options: Partial<AddOptions> & Pick<AddOptions, "config">) {
  const { context, printed, logged } = recorded();
  const code = await add(urls, { to: target, ...options }, context);
  return { code, printed: printed.join("\n"), logged };
}

test("adds a mirror, and says which id it has", async () => {
  const config = written();
  const printed = `Added ${second} to ${target} as mirror 6.`;
  expect(await run([second], { config })).toEqual({ code: 0, printed, logged: [] });
  expect(readFileSync(config, "utf8")).toBe(feedOf(first, second));
});

test("keeps a link to mirrors.json, and the mode of the file", async () => {
  const file = written();
  chmodSync(file, 0o664);
  const config = join(temporaryFolder(), "link.json");
  symlinkSync(file, config);
  await run([second], { config });
  expect(lstatSync(config).isSymbolicLink()).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o664);
  expect(readFileSync(file, "utf8")).toContain(second);
});

test("names the levels that were missing, and the new primary", async () => {
  const config = written();
  const { printed } = await run([second, third], { config, to: "s/other/main", primary: true });
  expect(printed.split("\n")).toEqual([
    `Added ${second} to s/other/main as mirror 6.`,
    `Added ${third} to s/other/main as mirror 7.`,
    "New: project, target.",
    "Mirror 6 is now the primary.",
  ]);
});

test("warns of a private address, unless it is allowed", async () => {
  const urls = ["http://192.168.1.2/a/b"];
  const { logged } = await run(urls, { config: written() });
  expect(logged).toEqual([expect.stringMatching(/^Warning: .* in a private network.*allowPrivate/)]);
  const config = written(feed.replace("{", '{ "probe": { "allowPrivate": true },'));
  expect((await run(urls, { config })).logged).toEqual([]);
});

test("--json prints what was added and nothing else", async () => {
  const config = written();
  const { printed } = await run([second], { config, to: "s/p/new", json: true, name: "Second" });
  expect(JSON.parse(printed)).toEqual({
    config,
    system: "s",
    project: "p",
    target: "new",
    created: ["target"],
    nodes: [{ id: 6, name: "Second", url: second }],
  });
  const again = await run([third], { config, json: true });
  const nodes = [{ id: 7, name: "third.example.org/joomla/packages" }];
  expect(JSON.parse(again.printed)).toMatchObject({ nodes });
});

describe("nothing is changed, and one sentence says why", () => {
  test("where one of several urls is refused", async () => {
    const config = written();
    const message = await sentence(run([second, "ftp://git.example.org/a"], { config }));
    expect(message).toContain("network[2].url: ");
    expect(await sentence(run([second, third], { config, name: "Both" }))).toBe(
      "--name is for one mirror, not 2; add the mirrors one at a time.",
    );
    expect(await sentence(run([second, first], { config }))).toBe(
      `${target} already has some of these mirrors; leave them out.`,
    );
    expect(everything(join(config, ".."))).toEqual({ "mirrors.json": feed });
  });

  test("where there is no mirrors.json", async () => {
    const folder = temporaryFolder();
    const config = join(folder, "mirrors.json");
    expect(await sentence(run([second], { config }))).toContain("mirrors.json does not exist; make one with");
    expect(everything(folder)).toEqual({});
  });
});
