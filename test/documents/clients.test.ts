import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { blocksOf, loadDocument } from "../support/document.ts";
import { feedOf, mirror, serveRoutes, soon } from "../support/serving.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const clients = loadDocument(".github/docs/clients.md");
const declared = ["index", "interface"]
  .map((name) => readFileSync(`dist/client/${name}.d.ts`, "utf8"))
  .join("\n");

/** Returns the names in backquotes in the column of a table. */
function column(head: string, place: number): string[] {
  const [, rows = ""] =
    new RegExp(`^\\| ${head} [^\\n]*\\n[^\\n]*\\n((?:\\|[^\\n]*\\n)+)`, "m").exec(clients.text) ?? [];
  const cells = rows.split("\n").map((row) => row.split(/ +\| +|^\| +/)[place] ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

describe("the client of clients.md", () => {
  test("has the signatures that are shown", () => {
    const [block] = blocksOf(clients, "ts");
    const shown = [...(block?.text ?? "").matchAll(/^export declare function .*$/gm)].map(([line]) => line);
    expect(shown).toEqual(declared.match(/^export declare function (?:check|pick)\(.*$/gm));
  });

  test("has the options that are shown, with their defaults", () => {
    const optionsIn = (type: string, of: string): string[] => {
      const [, body = ""] = new RegExp(`interface ${type} [^{]*\\{(.*?)^\\}`, "ms").exec(declared) ?? [];
      const options = body.matchAll(
        /\/\*\* (?:(?!\*\/).)*?(?:(\d+) by default\.)? \*\/\n +readonly (\w+)\?:/g,
      );
      return [...options].map(([, number, option = ""]) => [option, of, number].join(" ").trimEnd());
    };
    const real = [
      ...optionsIn("FeedOptions", "both"),
      ...optionsIn("CheckOptions", "check"),
      ...optionsIn("PickOptions", "pick"),
    ];
    const rows = [...clients.text.matchAll(/^\| `(\w+)` +\| `?(both|check|pick)`? +\| (\d*)/gm)];
    expect(rows.map(([, ...cells]) => cells.join(" ").trimEnd())).toEqual(real);
  });

  test("has the outcomes, levels and reasons that are shown", () => {
    const values = (text: string): string[] => [...text.matchAll(/"(\w+)"/g)].map(([, value = ""]) => value);
    const outcomes = [...declared.matchAll(/readonly outcome: (.*);/g)].flatMap(([, text = ""]) =>
      values(text),
    );
    expect(new Set(column("outcome", 1))).toEqual(new Set(outcomes));
    const typeOf = (name: string): string =>
      new RegExp(`type ${name} =(.*?);$`, "ms").exec(declared)?.[1] ?? "";
    expect(column("outcome", 2)).toEqual(expect.arrayContaining(values(typeOf("Reason"))));
    expect(column("outcome", 2)).toEqual(expect.arrayContaining(values(typeOf("Level"))));
  });
});

describe("the sample in JavaScript", () => {
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  test("prints the best mirror, and how many are reachable", async () => {
    const { url } = await serveRoutes(feedOf([mirror(1, 0), mirror(2, 1), mirror(3, 1)]));
    vi.useFakeTimers({ toFake: ["Date"], now: soon });
    const printed = vi.spyOn(console, "log").mockReturnValue(undefined);
    const file = join(temporaryFolder(), "sample.mjs");
    const [sample] = blocksOf(clients, "js");
    const client = pathToFileURL(resolve("dist/client/index.js")).href;
    writeFileSync(
      file,
      (sample?.text ?? "")
        .replace("mirrorfeed/client", client)
        .replaceAll("https://status.example.org/", `${url}/`),
    );
    await import(/* @vite-ignore */ pathToFileURL(file).href);
    expect(printed.mock.calls).toEqual([[mirror(2, 1).url], [2]]);
  });
});
