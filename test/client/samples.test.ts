import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dirname, "../..");

/** What a consumer may do with results, beside what the documents show. */
const own = `
import { check, pick, type CheckResult, type PickResult } from "mirrorfeed/client";
const { outcome, mirror, mirrors = [], reason, level, left_out }: PickResult = await pick("https://a/", "s/p/t");
console.log(outcome, mirror?.url, mirrors.length, reason, level, left_out?.map(({ scheme }) => scheme));
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

/** Uses everything without a name of the DOM or of Node.js. */
const bare = `
import { check, pick, type Fetch } from "mirrorfeed/client";
const fetch: Fetch = () => Promise.reject(new Error("not here"));
const { outcome, mirror, cause } = await pick("https://a/", "s/p/t", { fetch, now: () => 0, timeoutMs: 1 });
const { count } = await check("https://a/", "s/p/t", { min: 2, signal: undefined });
export const found: readonly unknown[] = [outcome, mirror?.url, cause, count];
`;

/** Uses the standard names. */
const standard = `
import { pick, type Fetch } from "mirrorfeed/client";
const own: Fetch = (url, init) => fetch(url, { ...init, headers: { ...init.headers, "x-a": "b" } });
await pick("https://a/", "s/p/t", { fetch, signal: AbortSignal.timeout(1000) });
await pick("https://a/", "s/p/t", { fetch: own });
`;

function samplesOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(/^```(?:ts|js|mjs|typescript|javascript)\n(.*?)^```/gms)].map(
    ([, code = ""]) => code,
  );
}

/** Parts of the source, which test/kinds/new-kind.test.ts and test/channels/new-channel.test.ts compile. */
const forContributors = ["add-a-kind.md", "add-a-channel.md"];

const docs = readdirSync(join(root, ".github/docs")).filter(
  (name) => name.endsWith(".md") && !forContributors.includes(name),
);
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
  ["nodenext", "nodenext", ts.ModuleKind.NodeNext, ts.ModuleResolutionKind.NodeNext],
  ["esnext", "bundler", ts.ModuleKind.ESNext, ts.ModuleResolutionKind.Bundler],
])("with the packed package, module %s and %s resolution", (_, __, module, moduleResolution) => {
  // All modules of a package of its own that depends on the packed mirrorfeed.
  const compilation = ts.createProgram(files, {
    ...{ module, moduleResolution, target: ts.ScriptTarget.ES2022, types: [] },
    ...{ lib: ["lib.es2023.d.ts", "lib.dom.d.ts"], strict: true, exactOptionalPropertyTypes: true },
    noEmit: true,
  });
  const whole = [...compilation.getOptionsDiagnostics(), ...compilation.getGlobalDiagnostics()];

  /** What the compiler says of a module. */
  const problemsOf = (file: string): string[] =>
    [...whole, ...ts.getPreEmitDiagnostics(compilation, compilation.getSourceFile(file))].map(
      ({ code, messageText }) => `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );

  test.each(sources.slice(0, -1))("$name compiles", ({ code }) => {
    expect(problemsOf(files[sources.findIndex((source) => source.code === code)] ?? "")).toEqual([]);
  });

  test("a mirror that may be undefined is not used unseen", () => {
    expect(problemsOf(files.at(-1) ?? "").join()).toMatch(/TS18048: 'mirror' is possibly 'undefined'/);
  });
});

test.each<[name: string, code: string, lib: string, types: string[]]>([
  ["without the types of the DOM and of Node.js", bare, "lib.es2022.d.ts", []],
  ["with those of the DOM", standard, "lib.dom.d.ts", []],
  ["with those of Node.js", standard, "lib.es2022.d.ts", ["node"]],
])("the client's types compile %s", (_, code, lib, types) => {
  const file = join(folder, `types-${lib}-${types.join("")}.mts`);
  writeFileSync(file, code);
  const { ES2022: target } = ts.ScriptTarget;
  const typeRoots = [join(root, "node_modules/@types")];
  const compilation = ts.createProgram([file], {
    ...{ target, module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ...{ lib: ["lib.es2022.d.ts", lib], types, typeRoots, strict: true, exactOptionalPropertyTypes: true },
    ...{ noEmit: true, skipLibCheck: types.length > 0 },
  });
  const own = ts
    .getPreEmitDiagnostics(compilation)
    .filter((one) => one.file?.fileName.includes("/@types/") !== true)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
  expect(own).toEqual([]);
});

test("the documents have samples", () => {
  expect(samples.length).toBeGreaterThan(1);
});
