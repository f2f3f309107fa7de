import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseXml, XmlElement } from "@rgrove/parse-xml";
import { expect, test } from "vitest";
import { listNodes } from "../../../src/core/config/nodes.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { mirrorStates } from "../../../src/core/verdict/mirror-state.ts";
import { compileTemplate } from "../../../src/features/templates/template.ts";
import { find, viewOf } from "../../../src/features/templates/view.ts";
import { blocksOf, loadDocument } from "../../support/document.ts";
import { except, noon, play } from "../../support/playing.ts";
import { describeWith, findProgram } from "../../support/requirement.ts";
import { projectConfig } from "../../support/rounds.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { runTool } from "../../support/tool-feed.ts";

const folder = join(import.meta.dirname, "../../../.github/docs/templates");
const lists = loadDocument(".github/docs/use-a-feed.md");

/** Mirrors of system/project/target. The first one is offline. */
const urls = ["http://127.0.0.1:1/off", "https://m2.example.org/it's?b=1&c=2", "https://m3.example.org/a"];
const ranked = [1, 2, 0].map((index) => new URL(urls[index] ?? "").href);

function fill(path: string, text: string, names = "system/project/target"): string {
  const [system, project, target] = names.split("/");
  const network = urls.map((url, index) => ({ id: index + 1, url, name: `"${index}": <b> # \\` }));
  const systems = [{ system, projects: [{ project, targets: [{ target, network }] }] }];
  const config = validateConfig(JSON.stringify({ systems, probe: { kind: "http" } }), "mirrors.json");
  const nodes = listNodes(config);
  const render = compileTemplate(path, text, path, viewOf(nodes));
  const { feed } = play(config, [{ at: noon, vantages: except({ 1: "timeout" }) }]);
  return render([viewOf(nodes, feed)]);
}

/** Renders a template from the documents. */
function filled(name: string): string {
  return fill(name, readFileSync(join(folder, `${name}.mustache`), "utf8"));
}

test("use-a-feed.md leads to every template", () => {
  const linked = lists.links.filter((link) => link.startsWith("templates/")).map((link) => link.slice(10));
  expect(linked.toSorted()).toEqual(readdirSync(folder).toSorted());
});

test("the template in use-a-feed.md gives Docker the mirrors", () => {
  const [{ text } = { text: "" }] = blocksOf(lists, "mustache");
  const written = fill("daemon.json", text, "linux/docker/hub");
  expect(JSON.parse(written)).toEqual({ "registry-mirrors": ranked });
});

test("use-a-feed.md has every name that templates can use", () => {
  const rows = [...lists.text.matchAll(/^\| (anywhere|in a target|in a mirror) +\| (.+?) +\|/gm)];
  const namedIn = (where: string): string[] =>
    rows.flatMap(([, place, cell = ""]) => {
      const states = cell.includes("state](") || cell.includes("name of a state") ? mirrorStates : [];
      return place === where
        ? [...[...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name), ...states]
        : [];
    });
  const network = [{ id: 1, url: "https://a.example.org/x", country: "DE" }];
  const names = viewOf(listNodes(projectConfig([{ target: "t", network }])));
  const namesAt = (path: string): string[] => {
    const scope = path === "" ? names : find(path, [names]);
    return scope instanceof Map ? [...scope.keys()].toSorted() : [];
  };
  expect(namesAt("")).toEqual([...namedIn("anywhere"), "s/p/t"].toSorted());
  expect(namesAt("s/p/t")).toEqual(namedIn("in a target").toSorted());
  expect(namesAt("s/p/t.best")).toEqual(namedIn("in a mirror").toSorted());
});

test("update.xml has the best mirror to download from, and all as sources", () => {
  const children = ({ children: all }: XmlElement): XmlElement[] =>
    all.filter((one) => one instanceof XmlElement);
  const { root } = parseXml(filled("update.xml"));
  const downloads = children(root ?? new XmlElement("none"))
    .flatMap(children)
    .filter(({ name }) => name === "downloads")
    .flatMap(children);
  const zip = (url = ""): string => `${url}/pkg_example-1.2.3.zip`;
  expect(downloads.map(({ name, text }) => [name, text])).toEqual([
    ["downloadurl", zip(ranked[0])],
    ...ranked.map((url) => ["downloadsource", zip(url)]),
  ]);
});

describeWith("python3", findProgram("python3") !== undefined, "what Python reads", () => {
  /** Renders a template, and runs a Python program in its folder. Returns the JSON that the program prints. */
  async function python(program: string, name: string): Promise<unknown> {
    const cwd = temporaryFolder("mirrorfeed-templates-");
    writeFileSync(join(cwd, name), filled(name));
    const { code, output } = await runTool("python3", ["-c", `import json\n${program}`], { cwd });
    expect(code, output).toBe(0);
    return JSON.parse(output);
  }

  test("hosts.toml is TOML, with a table for each mirror in order", async () => {
    const program = 'import tomllib\nprint(json.dumps(tomllib.load(open("hosts.toml", "rb"))))';
    const parsed = (await python(program, "hosts.toml")) as { server: string; host: object };
    expect(parsed.server).toBe("https://registry-1.docker.io");
    const table = { capabilities: ["pull", "resolve"] };
    expect(Object.entries(parsed.host)).toEqual(ranked.map((url) => [url, table]));
  });

  test("pip.conf is what pip reads, with the best mirror", async () => {
    // pip uses this parser too, in configuration.py.
    const program = `import configparser
parser = configparser.RawConfigParser()
parser.read("pip.conf", encoding="utf-8")
print(json.dumps({section: dict(parser[section]) for section in parser.sections()}))`;
    const global = { "index-url": `${ranked[0] ?? ""}/simple` };
    expect(await python(program, "pip.conf")).toEqual({ global });
  });
});

test("http_sd.json has the mirrors of each target, for Prometheus", () => {
  const labels = { mirrors_of: "system/project/target" };
  expect(JSON.parse(filled("http_sd.json"))).toEqual([{ targets: ranked, labels }]);
});

test("go.env separates the module proxies so that each follows any error of the one before", () => {
  expect(filled("go.env")).toBe(`GOPROXY=${ranked.join("|")}|direct\n`);
});
