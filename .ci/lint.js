// Lints, and checks the types with the programs that the linter uses. Alone, each would parse and check all files.
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import ts from "typescript";
import tseslint from "typescript-eslint";

const root = fileURLToPath(new URL("..", import.meta.url));
const host = ts.createCompilerHost({});

const builders = ["tsconfig.json", "src/browser/tsconfig.json"].map((name) => {
  const parsed = ts.getParsedCommandLineOfConfigFile(
    root + name,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  );
  return ts.createIncrementalProgram({
    rootNames: parsed.fileNames,
    options: parsed.options,
    configFileParsingDiagnostics: parsed.errors,
  });
});
const programs = builders.map((builder) => builder.getProgram());

/** The configuration, on which the cache depends, has a parser by its name and version, and so without the programs. */
const parser = {
  meta: { name: "typescript-eslint with programs", version: tseslint.parser.meta.version },
  parseForESLint: (text, options) => tseslint.parser.parseForESLint(text, { ...options, programs }),
};

const linter = new ESLint({
  cwd: root,
  cache: true,
  cacheStrategy: "content",
  cacheLocation: "node_modules/.cache/lint/",
  overrideConfig: { files: ["**/*.{ts,tsx}"], languageOptions: { parser } },
});
const results = await linter.lintFiles(["."]);
const formatter = await linter.loadFormatter("stylish");
console.log(await formatter.format(results));

const problems = builders.flatMap((builder) => [
  ...builder.getConfigFileParsingDiagnostics(),
  ...builder.getOptionsDiagnostics(),
  ...builder.getSyntacticDiagnostics(),
  ...builder.getGlobalDiagnostics(),
  ...builder.getSemanticDiagnostics(),
]);
console.log(ts.formatDiagnostics(problems, host));
// Keeps what was checked for the next time.
for (const builder of builders) builder.emit();
if (problems.length > 0 || results.some(({ errorCount }) => errorCount > 0)) process.exitCode = 1;

function fail(problem) {
  throw new Error(ts.formatDiagnostic(problem, host));
}
