import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createInstrumenter } from "@stryker-mutator/instrumenter";
import { createInjector } from "typed-inject";

// `npm run mutation` makes 300 changes in the folders below, and reports those that no test notices. Making all 4,600
// would take hours. Stryker cannot sample, so this file chooses the places by a hash of the code there. A place
// therefore stays in the sample when other lines change. `npx stryker run --mutate FILE` tries every change in a file.
const sampleSize = 300;

const files = [
  "src/core/config",
  "src/core/state",
  "src/core/feed",
  "src/core/site",
  "src/features/changes",
].flatMap((folder) =>
  readdirSync(folder, { recursive: true })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
);

async function listMutants() {
  const nothing = () => false;
  const logger = new Proxy({}, { get: () => nothing });
  const instrumenter = createInjector().provideValue("logger", logger).injectFunction(createInstrumenter);
  const inputs = files.map((name) => ({ name, content: readFileSync(name, "utf8"), mutate: true }));
  const options = { plugins: null, excludedMutations: [], ignorers: [], noHeader: false };
  return (await instrumenter.instrument(inputs, options)).mutants;
}

function digest({ fileName, location: { start, end }, mutatorName, replacement }) {
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line, end.line + 1);
  return createHash("sha256")
    .update([fileName, mutatorName, replacement, ...lines].join("\n"))
    .digest("hex");
}

function isBefore(one, other) {
  return one.line < other.line || (one.line === other.line && one.column <= other.column);
}

/** Returns ranges of code with `sampleSize` mutants in all. The range of one mutant may contain others. */
function sample(mutants) {
  const left = new Set(mutants);
  const ranges = [];
  const ordered = mutants
    .map((mutant) => ({ mutant, key: digest(mutant) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { mutant } of ordered) {
    if (!left.has(mutant)) continue;
    const { fileName, location } = mutant;
    const held = [...left].filter(
      (other) =>
        other.fileName === fileName &&
        isBefore(location.start, other.location.start) &&
        isBefore(other.location.end, location.end),
    );
    // Skips large mutants, because a single whole function would take up most of the sample.
    if (held.length > 5 || mutants.length - left.size + held.length > sampleSize) continue;
    for (const other of held) left.delete(other);
    const [start, end] = [location.start, location.end].map(({ line, column }) => `${line + 1}:${column}`);
    ranges.push(`${fileName}:${start}-${end}`);
  }
  return ranges;
}

export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "test/mutation.config.ts" },
  // Keeps Stryker from rewriting paths in tsconfig.json, which fails because TypeScript 7 lacks the functions that Stryker calls.
  // No test needs tsconfig.json.
  tsconfigFile: "none",
  mutate: sample(await listMutants()),
  coverageAnalysis: "perTest",
  concurrency: 2,
  reporters: ["clear-text", "progress"],
  thresholds: { high: 98, low: 95, break: 95 },
};
