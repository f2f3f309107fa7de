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

test("the documents have samples", () => {
  expect(samples.length).toBeGreaterThan(1);
});
