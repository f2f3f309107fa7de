import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { env } from "node:process";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { validateConfig } from "../../src/config/validate.ts";
import { product } from "../../src/base/files/package.ts";
import { declaredCommands } from "../support/declared-commands.ts";
import { blocksOf, loadDocument } from "../support/document.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dirname, "../..");
const document = loadDocument("README.md");
const readme = document.text;

test("its table of commands is what the program has", async () => {
  const commands = await declaredCommands();
  const listed = [...readme.matchAll(/^\| `(\w+)[^|]*` +\| (.*?) +\|$/gm)].map(([, ...row]) => row);
  const known = commands.map((command) => [command.name(), command.description()]);
  expect(listed).toEqual(known.filter(([name]) => name !== "help"));
});

test("its scripts are those of the demo and of all tests", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  expect(readme).toContain("npm run demo");
  expect(readme).toContain("npm test");
  expect(scripts).toMatchObject({ demo: "node dist/cli.js demo", test: "npm run build && vitest run" });
});

test("its line makes a package of a checkout, and installs it as mirrorfeed", () => {
  const prefix = temporaryFolder("mirrorfeed-installed-");
  const [line = ""] = blocksOf(document, "sh").flatMap(({ text }) =>
    text.includes("npm pack") ? [text] : [],
  );
  const bin = join(prefix, "stand-in");
  mkdirSync(bin);
  // The tests have built the program already, and have its dependencies.
  const npm = `PATH="${env["PATH"] ?? ""}" exec npm`;
  const pack = `${npm} pack --ignore-scripts --silent --pack-destination "$PWD" "${root}"`;
  const script = `#!/bin/sh\ncase $1 in ci) ;; pack) ${pack} ;; *) ${npm} --offline --prefix "${prefix}" "$@" ;; esac\n`;
  writeFileSync(join(bin, "npm"), script, { mode: 0o755 });
  const path = [bin, join(prefix, "bin"), env["PATH"] ?? ""].join(delimiter);
  const printed = execFileSync("/bin/sh", ["-ec", `${line}mirrorfeed --version`], {
    cwd: prefix,
    env: { ...env, PATH: path },
    encoding: "utf8",
    stdio: "pipe",
  });
  expect(printed.trimEnd().split("\n").at(-1)).toBe(product.version);
});

test("its workflow and its action are there, with the inputs it gives", () => {
  const { name } = parse(readFileSync(join(root, ".github/workflows/refresh.yml"), "utf8")) as {
    name: string;
  };
  expect(readme).toContain(`the workflow **${name}**`);
  const [step] = parse(blocksOf(document, "yaml")[0]?.text ?? "") as { uses: string; with: object }[];
  const path = /^OWNER\/REPOSITORY\/(.+)@COMMIT$/.exec(step?.uses ?? "")?.[1] ?? "";
  const { inputs } = parse(readFileSync(join(root, path, "action.yml"), "utf8")) as { inputs: object };
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(step?.with ?? {})));
});

test.each(["ssh://git.example.org/a/b", "git://git.example.org/a/b"])("%s is refused as a mirror", (url) => {
  const systems = [
    { system: "s", projects: [{ project: "p", targets: [{ target: "t", network: [{ id: 1, url }] }] }] },
  ];
  expect(() => validateConfig(JSON.stringify({ systems }), "mirrors.json")).toThrow(
    "only http and https are probed",
  );
});
