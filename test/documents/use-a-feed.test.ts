import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { blocksOf, loadDocument, textsBelow } from "../support/document.ts";
import { gitEnvironment } from "../support/git.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { feedOf, mirror, serveRoutes, soon } from "../support/serving.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runTool } from "../support/tool-feed.ts";

const guide = loadDocument(".github/docs/use-a-feed.md");
const declared = ["index", "interface"]
  .map((name) => readFileSync(`dist/client/${name}.d.ts`, "utf8"))
  .join("\n");

/** Returns the names in backticks in a table column. */
function column(head: string, place: number): string[] {
  const [, rows = ""] =
    new RegExp(`^\\| ${head} [^\\n]*\\n[^\\n]*\\n((?:\\|[^\\n]*\\n)+)`, "m").exec(guide.text) ?? [];
  const cells = rows.split("\n").map((row) => row.split(/ +\| +|^\| +/)[place] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

describe("the client of use-a-feed.md", () => {
  test("has the signatures that are shown", () => {
    const [block] = blocksOf(guide, "ts");
    const shown = [...(block?.text ?? "").matchAll(/^export declare function .*$/gm)].map(([line]) => line);
    expect(shown).toEqual(declared.match(/^export declare function (?:check|pick)\(.*$/gm));
  });

  test("has the options that are shown, with their defaults", () => {
    const optionsIn = (type: string, of: string): string[] => {
      const [, body = ""] = new RegExp(`interface ${type} [^{]*\\{(.*?)^\\}`, "ms").exec(declared) ?? [];
      const options = body.matchAll(
        /\/\*\* (?:(?!\*\/).)*?(?:Defaults to (\d+)\.)? \*\/\n +readonly (\w+)\?:/g,
      );
      return [...options].map(([, number, option = ""]) => [option, of, number].join(" ").trimEnd());
    };
    const types = { FeedOptions: "both", CheckOptions: "check", PickOptions: "pick" };
    const real = Object.entries(types).flatMap(([type, of]) => optionsIn(type, of));
    const rows = [...guide.text.matchAll(/^\| `(\w+)` +\| `?(both|check|pick)`? +\| (\d*)/gm)];
    expect(rows.map(([, ...cells]) => cells.join(" ").trimEnd())).toEqual(real);
  });

  test("has the outcomes, levels and reasons that are shown", () => {
    const values = (text: string): string[] => [...text.matchAll(/"(\w+)"/g)].map(([, value = ""]) => value);
    const outcomes = [...declared.matchAll(/Result<([^,]*),/g)].flatMap(([, text = ""]) => values(text));
    expect(new Set(column("outcome", 1))).toEqual(new Set(outcomes));
    const typeOf = (name: string): string =>
      new RegExp(`type ${name} =(.*?);$`, "ms").exec(declared)?.[1] ?? "";
    expect(column("outcome", 2)).toEqual(expect.arrayContaining(values(typeOf("Reason"))));
    expect(column("outcome", 2)).toEqual(expect.arrayContaining(values(typeOf("Level"))));
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("the sample in JavaScript prints the best mirror, and how many are reachable", async () => {
  const { url } = await serveRoutes(feedOf([mirror(1, 0), mirror(2, 1), mirror(3, 1)]));
  vi.useFakeTimers({ toFake: ["Date"], now: soon });
  const printed = vi.spyOn(console, "log").mockReturnValue(undefined);
  const file = join(temporaryFolder(), "sample.mjs");
  const [sample] = blocksOf(guide, "js");
  const client = pathToFileURL(resolve("dist/client/index.js")).href;
  const text = (sample?.text ?? "").replace("mirrorfeed/client", client);
  writeFileSync(file, text.replaceAll("https://status.example.org/", `${url}/`));
  await import(/* @vite-ignore */ pathToFileURL(file).href);
  expect(printed.mock.calls).toEqual([[mirror(2, 1).url], [2]]);
});

const recipePrograms = ["curl", "git", "python3", "php"];
const hasPrograms = recipePrograms.every((name) => findProgram(name) !== undefined);

describeWith(recipePrograms.join(", "), hasPrograms, "the recipes", () => {
  const list = "/mirrorlist/community/jcb/packages.txt";
  const repository = temporaryFolder();
  const urls = [join(temporaryFolder(), "gone"), repository];

  function recipe(language: string, url: string): string {
    const [text = ""] = textsBelow(guide, "Recipes", language);
    return text.replaceAll("https://status.example.org", url);
  }

  async function serveList(expiresAt: number): Promise<string> {
    const heartbeat = { expires_at: new Date(expiresAt).toISOString() };
    const document = urls.map((url) => `${url}\n`).join("");
    const { url } = await serveRoutes({ [list]: { document }, "/v1/report/": { document: heartbeat } });
    return url;
  }

  test("the shell clones from the first mirror that works, and fails without a feed", async () => {
    const cwd = temporaryFolder();
    const sh = (text: string) => runTool("sh", ["-c", text], { cwd, env: gitEnvironment });
    expect((await sh(recipe("sh", "http://127.0.0.1:1"))).code).not.toBe(0);
    expect((await sh(`git init -q "${repository}"`)).code).toBe(0);
    const url = await serveList(Date.now());
    expect((await sh(recipe("sh", url))).code).toBe(0);
    expect((await sh("git -C packages remote get-url origin")).output).toBe(`${repository}\n`);
  });

  test("Python prints the best mirror unless the feed has expired", async () => {
    const python = async (expiresAt: number) =>
      runTool("python3", ["-c", recipe("python", await serveList(expiresAt))], { cwd: temporaryFolder() });
    expect(await python(Date.now() + 60_000)).toEqual({ code: 0, output: `${urls[0]}\n` });
    expect(await python(Date.now())).toEqual({ code: 1, output: "The feed is out of date.\n" });
  });

  test("PHP prints the best mirror, or the fallback without a feed", async () => {
    const php = async (url: string) => {
      const file = join(temporaryFolder(), "recipe.php");
      writeFileSync(file, recipe("php", url));
      return runTool("php", ["-d", "display_errors=0", file], { cwd: temporaryFolder() });
    };
    expect((await php(await serveList(Date.now()))).output).toBe(`${urls[0]}\n`);
    expect((await php("http://127.0.0.1:1")).output).toContain("https://git.example.org/jcb/packages\n");
  });
});
