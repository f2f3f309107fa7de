import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../src/config/schema.ts";
import { validateConfig } from "../src/config/validate.ts";
import { codes } from "../src/kinds/kinds.ts";
import { program, startProgram } from "./support/child.ts";

const readme = readFileSync("README.md", "utf8");
const folder = ".github/docs";
const documents = new Map([
  ["README.md", readme],
  ...readdirSync(folder).map((name): [string, string] => [
    `${folder}/${name}`,
    readFileSync(join(folder, name), "utf8"),
  ]),
]);
const everything = [...documents.values()].join("\n");

function blocks(language: string): string[] {
  return [...everything.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(
    ([, text = ""]) => text,
  );
}

const helps = new Map<string, string>();

function help(command = ""): string {
  const known = helps.get(command);
  if (known !== undefined) return known;
  const parameters = command === "" ? ["--help"] : [command, "--help"];
  const text = execFileSync(process.execPath, [program, ...parameters], { encoding: "utf8" });
  helps.set(command, text);
  return text;
}

describe("the README and the documents beside it are true", () => {
  test("the README has at most 1,500 words", () => {
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1500);
  });

  test("every npm script it calls is there", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
      scripts: Record<string, string>;
    };
    const called = [...everything.matchAll(/(?:^|`|&& )npm (?:run )?([\w:]+)/gm)].map(
      ([, name = ""]) => name,
    );
    const own = ["ci", "pack", "install"];
    for (const name of called.filter((one) => !own.includes(one)))
      expect(Object.keys(scripts)).toContain(name);
    expect(called.length).toBeGreaterThan(4);
  });

  test("its table of commands is what the program has", () => {
    const listed = [...readme.matchAll(/^\| `mirrorfeed (\w+)/gm)].map(([, name]) => name);
    const known = [...help().matchAll(/^ {2}(\w+) (?!.*display help)/gm)].map(([, name]) => name);
    expect([...listed].sort()).toEqual([...known].sort());
  });

  test("every option it names belongs to the command before it", () => {
    for (const [, command = "", rest = ""] of everything.matchAll(
      /mirrorfeed (run|notify|probe|build|serve|validate|watch|verify|host|publish|check|pick|add|import|init)\b([^`\n|]*)/g,
    )) {
      const options = [...rest.matchAll(/--[a-z-]+/g)].map(([option]) => option);
      for (const option of options) expect(help(command), `${command} ${option}`).toContain(option);
    }
  });

  test("every mirrors.json they show is valid", () => {
    for (const text of blocks("json")) expect(() => validateConfig(text, "README.md")).not.toThrow();
  });

  test("the demo answers the README's request with the answer below it, but for ports", async () => {
    const [, url = "", answer = ""] = /^\$ curl (\S+)\n(.*)\n/m.exec(readme) ?? [];
    const demo = startProgram(["demo"], { folder: "." });
    try {
      await expect.poll(demo.stderr).toContain("Ctrl-C ends it");
      const [, port = ""] = /127\.0\.0\.1:(\d+)\/ /.exec(demo.stderr()) ?? [];
      const response = await fetch(Object.assign(new URL(url), { port }));
      const withoutPorts = (text: string): string => text.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1");
      expect(withoutPorts(await response.text())).toBe(`${withoutPorts(answer)}\n`);
      expect(new URL(url).port).toBe("8080");
    } finally {
      demo.process.kill("SIGINT");
      await demo.ending;
    }
  });

  test("its defaults are those of the schema", () => {
    const network = [{ id: 1, url: "https://git.example.org/a/b" }];
    const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
    const { probe } = configSchema.parse({ systems });
    const rows = [...everything.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\| ([^|]+?) +\|/gm)];
    const written = rows.flatMap(([, keys = "", values = ""]) =>
      keys
        .split(", ")
        .map(
          (key, index) => [key.replaceAll("`", ""), values.split(", ")[index]?.replaceAll("`", "")] as const,
        ),
    );
    const elsewhere = ["ca", "control", "downAfter", "upAfter"];
    for (const [key, value] of Object.entries(probe).filter(([name]) => !elsewhere.includes(name))) {
      expect(written).toContainEqual([key, JSON.stringify(value).replaceAll(`"`, "")]);
    }
  });

  test("it names every code", () => {
    for (const code of codes) expect(everything).toContain(`\`${code}\``);
  });

  test("its Kubernetes and systemd examples are well-formed, and call the program as it is", () => {
    const jobs = blocks("yaml").filter((one) => one.includes("CronJob"));
    expect(jobs).toHaveLength(2);
    for (const job of jobs) {
      const { kind, spec } = parse(job) as {
        kind: string;
        spec: { jobTemplate: { spec: { template: { spec: { containers: { args: string[] }[] } } } } };
      };
      expect(kind).toBe("CronJob");
      const [command = "", ...rest] = spec.jobTemplate.spec.template.spec.containers[0]?.args ?? [];
      for (const option of rest.filter((one) => one.startsWith("--")))
        expect(help(command)).toContain(option);
    }
    const units = blocks("ini");
    expect(units).toHaveLength(3);
    const lines = units.flatMap((unit) => unit.split("\n")).filter((line) => !/^(?:#|$)/.test(line));
    for (const line of lines)
      expect(line).toMatch(/^(?:\[(?:Unit|Service|Timer|Install)\]|[A-Z][A-Za-z]+=.+)$/);
    expect(units.join("\n")).toMatch(
      /^ExecStart=\/\S+node \S+cli\.js watch --interval 60s --out \S+ --state \S+$/m,
    );
  });

  test("the files they show and link to are there", () => {
    for (const [place, text] of documents)
      for (const [, file = ""] of text.matchAll(/\]\(([^):#]+)\)/g))
        expect(existsSync(join(dirname(place), file)), `${place}: ${file}`).toBe(true);
    for (const [file] of everything.matchAll(/refresh-sharded\.yml/g))
      expect(existsSync(`.github/workflows/${file}`)).toBe(true);
  });
});
