import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { typeCheck, typeRoots } from "../support/compiler.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dirname, "../..");

/** Code that uses results in ways that the documents do not show. */
const own = `
import { check, pick, type CheckResult, type PickResult } from "mirrorfeed/client";
const { outcome, mirror, mirrors = [], reason, level }: PickResult = await pick("https://a/", "s/p/t");
console.log(outcome, mirror?.url, mirrors.length, reason, level);
const picked = await pick("https://a/", "s/p/t", { exclude: ["a"] });
if (picked.outcome === "reachable") console.log(picked.mirror.url, picked.mirrors[0]?.freshness);
const { count, min, mirrors: all }: CheckResult = await check("https://a/", "s/p/t", { fresh: true });
if (count !== undefined) console.log(count, min, all);
`;

const wrong = `
import { pick } from "mirrorfeed/client";
const { mirror } = await pick("https://a/", "s/p/t");
console.log(mirror.url);
`;

/** Code that uses the client with `fetch` and AbortSignal, which both the DOM and Node.js define. */
const standard = `
import { pick, type Fetch } from "mirrorfeed/client";
const own: Fetch = (url, init) => fetch(url, { ...init, headers: { ...init.headers, "x-a": "b" } });
await pick("https://a/", "s/p/t", { fetch, signal: AbortSignal.timeout(1000) });
await pick("https://a/", "s/p/t", { fetch: own });
`;

function samplesOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const blocks = text.matchAll(/^```(?:ts|js|mjs|typescript|javascript)\n(.*?)^```/gms);
  // Scripts for Node.js, which have their own tests, don't use the client.
  return [...blocks].flatMap(([, code = ""]) => (code.includes('from "node:') ? [] : code));
}

const docs = readdirSync(join(root, ".github/docs")).filter((name) => name.endsWith(".md"));
const documents = ["README.md", ...docs.map((name) => `.github/docs/${name}`)];
const samples = documents.flatMap((file) =>
  samplesOf(file).map((code, place) => ({ name: `${file} ${place + 1}`, code })),
);

const sources = [...samples, { name: "destructured results", code: own }, { name: "wrong", code: wrong }];
const folder = temporaryFolder();
const place = join(folder, "node_modules/mirrorfeed");
mkdirSync(place, { recursive: true });
const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
const packed = execFileSync("npm", pack, { cwd: root, encoding: "utf8" }).trim();
execFileSync("tar", ["-xzf", join(folder, packed), "-C", place, "--strip-components=1"]);
writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
const files = sources.map(({ code }, place) => {
  const file = join(folder, `sample-${place}.mts`);
  writeFileSync(file, code);
  return file;
});

describe.each([
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
])("with the packed package, module %s and %s resolution", (module, moduleResolution) => {
  // The samples are in a package of their own, with the packed mirrorfeed in its node_modules.
  const { problems } = typeCheck(folder, {
    files,
    compilerOptions: {
      ...{ module, moduleResolution, target: "es2022", types: [] },
      ...{ lib: ["es2023", "dom"], strict: true, exactOptionalPropertyTypes: true },
    },
  });

  /** Returns the compiler's problems with one module, and those that are not about any sample. */
  const problemsOf = (file: string): string[] =>
    problems.filter((problem) => problem.startsWith(`${basename(file)}(`) || !problem.startsWith("sample-"));

  test.each(sources.slice(0, -1))("$name compiles", ({ code }) => {
    expect(problemsOf(files[sources.findIndex((source) => source.code === code)] ?? "")).toEqual([]);
  });

  test("a mirror that may be undefined is not used unseen", () => {
    expect(problemsOf(files.at(-1) ?? "").join()).toMatch(/TS18048: 'mirror' is possibly 'undefined'/);
  });
});

test.each<[name: string, lib: string, types: string[]]>([
  ["the DOM", "dom", []],
  ["Node.js", "es2022", ["node"]],
])("the client's types compile with those of %s", (_, lib, types) => {
  const file = join(folder, `types-${lib}-${types.join("")}.mts`);
  writeFileSync(file, standard);
  const { problems } = typeCheck(folder, {
    files: [file],
    compilerOptions: {
      ...{ target: "es2022", module: "nodenext", moduleResolution: "nodenext" },
      ...{ lib: ["es2022", lib], types, typeRoots, strict: true, exactOptionalPropertyTypes: true },
      skipLibCheck: types.length > 0,
    },
  });
  expect(problems.filter((problem) => !problem.includes("/@types/"))).toEqual([]);
});
