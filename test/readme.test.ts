import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { listNodes } from "../src/config/nodes.ts";
import { configSchema } from "../src/config/schema.ts";
import { validateConfig } from "../src/config/validate.ts";
import { codes } from "../src/probe/observation.ts";
import { renderNetwork } from "../src/render/network.ts";

const readme = readFileSync("README.md", "utf8");
const program = join(import.meta.dirname, "../dist/cli.js");

function blocks(language: string): string[] {
  return [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(
    ([, text = ""]) => text,
  );
}

function help(...parameters: readonly string[]): string {
  return execFileSync(process.execPath, [program, ...parameters, "--help"], { encoding: "utf8" });
}

describe("the README is true", () => {
  test("every npm script it calls is there", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
      scripts: Record<string, string>;
    };
    const called = [...readme.matchAll(/npm (?:run )?(\w+)/g)].map(([, name = ""]) => name);
    for (const name of called.filter((one) => one !== "ci")) expect(Object.keys(scripts)).toContain(name);
    expect(called.length).toBeGreaterThan(4);
  });

  test("its table of commands is what the program has", () => {
    const listed = [...readme.matchAll(/^\| `mirrorfeed (\w+)/gm)].map(([, name]) => name);
    const known = [...help().matchAll(/^ {2}(\w+) (?!.*display help)/gm)].map(([, name]) => name);
    expect([...listed].sort()).toEqual([...known].sort());
  });

  test("every option it names belongs to the command before it", () => {
    for (const [, command = "", rest = ""] of readme.matchAll(
      /mirrorfeed (run|probe|build|serve|validate|watch|verify|host|publish|check|pick|add|init)\b([^`\n|]*)/g,
    )) {
      const options = [...rest.matchAll(/--[a-z-]+/g)].map(([option]) => option);
      for (const option of options) expect(help(command), `${command} ${option}`).toContain(option);
    }
  });

  test("its mirrors.json is right, and its sample answer is what is rendered of the real one", () => {
    for (const text of blocks("json")) expect(() => validateConfig(text, "README.md")).not.toThrow();
    const config = validateConfig(readFileSync("mirrors.json", "utf8"), "mirrors.json");
    const statuses = new Map(
      listNodes(config).map(({ id, host }) => [id, host === "git.vdm.dev" ? 1 : 0] as const),
    );
    const files = renderNetwork(config, statuses);
    const [, path = "", answer = ""] = /curl http:\/\/127\.0\.0\.1:8080\/(\S+)\n(.*)\n/.exec(readme) ?? [];
    expect(files.find((file) => file.path === `${path}/index.json`)?.content).toBe(`${answer}\n`);
  });

  test("its defaults are those of the schema", () => {
    const network = [{ id: 1, url: "https://git.example.org/a/b" }];
    const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
    const { probe } = configSchema.parse({ systems });
    const rows = [...readme.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\| ([^|]+?) +\|/gm)];
    const written = rows.flatMap(([, keys = "", values = ""]) =>
      keys
        .split(", ")
        .map(
          (key, index) => [key.replaceAll("`", ""), values.split(", ")[index]?.replaceAll("`", "")] as const,
        ),
    );
    const elsewhere = ["control", "downAfter", "upAfter"];
    for (const [key, value] of Object.entries(probe).filter(([name]) => !elsewhere.includes(name))) {
      expect(written).toContainEqual([key, String(value)]);
    }
  });

  test("it names every code", () => {
    for (const code of codes) expect(readme).toContain(`\`${code}\``);
  });

  test("its Kubernetes and systemd examples are well-formed, and call the program as it is", () => {
    const [, job = ""] = blocks("yaml");
    const { kind, spec } = parse(job) as {
      kind: string;
      spec: { jobTemplate: { spec: { template: { spec: { containers: { args: string[] }[] } } } } };
    };
    expect(kind).toBe("CronJob");
    const [command = "", ...rest] = spec.jobTemplate.spec.template.spec.containers[0]?.args ?? [];
    for (const option of rest.filter((one) => one.startsWith("--"))) expect(help(command)).toContain(option);
    const [unit = ""] = blocks("ini");
    const lines = unit.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    for (const line of lines) expect(line).toMatch(/^(?:\[(?:Unit|Service|Install)\]|[A-Z][A-Za-z]+=.+)$/);
    expect(unit).toMatch(/^ExecStart=\/\S+node \S+cli\.js watch --every 60s --out \S+ --state \S+$/m);
  });

  test("the files it shows are there", () => {
    for (const [, file = ""] of readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g))
      expect(existsSync(file)).toBe(true);
    for (const [file] of readme.matchAll(/refresh-sharded\.yml/g))
      expect(existsSync(`.github/workflows/${file}`)).toBe(true);
  });
});
