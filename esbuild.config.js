import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

// The program is bundled with its dependencies, so that it starts quickly. Only undici is left out, and listed in
// `bundleDependencies` instead: an HTTP client must not differ from what its maintainers test. gh-pages is a separate
// bundle, since `publish` runs it in a separate process.

// Pages load these scripts only when needed. morph.js is the library that updates a page with new data.
const onDemand = {
  name: "on demand",
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/(?:days|filter|morph|search|search-index)\.ts$/ }, ({ path, kind }) =>
      kind === "dynamic-import" ? { path: path.replace(".ts", ".js"), external: true } : undefined,
    );
  },
};

const common = { bundle: true, target: "es2022", format: "esm", logLevel: "warning", metafile: true };

rmSync("dist", { recursive: true, force: true });

const built = await Promise.all([
  build({
    ...common,
    entryPoints: ["src/cli.ts"],
    outdir: "dist",
    platform: "node",
    target: "node20.19",
    // CommonJS modules in the bundle load Node.js modules with require().
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    mainFields: ["module", "main"],
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    // http-server depends on the package "union", which loads spdy only for SPDY. Nothing here uses SPDY. For undici,
    // see the top of this file.
    external: ["spdy", "undici"],
  }),
  build({
    ...common,
    entryPoints: ["src/features/publish/gh-pages.ts"],
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node20.19",
    format: "cjs",
    // gh-pages uses `arguments.callee`, which strict mode forbids.
    tsconfigRaw: "{}",
    minifySyntax: true,
    minifyWhitespace: true,
  }),
  build({
    ...common,
    entryPoints: ["src/client/index.ts"],
    outdir: "dist/client",
    platform: "neutral",
    // signature.js is loaded only if there is a key.
    splitting: true,
    chunkNames: "[name]",
    minify: true,
  }),
  build({
    ...common,
    entryPoints: [
      "src/features/pages/browser/status.ts",
      "src/features/pages/browser/days.ts",
      "src/features/pages/browser/filter.ts",
      "src/features/pages/browser/morph.ts",
      "src/features/pages/browser/search.ts",
      "src/features/pages/browser/search-index.ts",
    ],
    outdir: "dist/public/assets",
    entryNames: "[name]",
    platform: "browser",
    minify: true,
    plugins: [onDemand],
  }),
  // Sites get these minified stylesheets instead of those in public/.
  build({
    ...common,
    entryPoints: ["docs", "status"].map((name) => `public/assets/${name}.css`),
    outdir: "dist/public/assets",
    minify: true,
  }),
]);

execFileSync(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "src/client"], { stdio: "inherit" });

// Each feed serves the client, so that browsers and Deno can import it. Deno finds the types through this comment.
cpSync("dist/client", "dist/public/client", { recursive: true, filter: (file) => !file.endsWith(".d.ts") });
writeFileSync(
  "dist/public/client.js",
  '// @ts-self-types="./client.d.ts"\nexport * from "./client/index.js";\n',
);
writeFileSync("dist/public/client.d.ts", declarationsOf("dist/client/index.d.ts"));

// dist/released marks a release, so that `mirrorfeed init` pins its version. npm runs this build within "npm publish",
// so packages from a registry have the mark, and those from "npm pack", a checkout or a Git repository do not.
if (process.env.npm_command === "publish")
  writeFileSync("dist/released", `${process.env.npm_package_version}\n`);

const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
writeFileSync("dist/THIRD-PARTY-LICENSES.txt", licenses(inputs));

/** Returns the declarations of a module and of all modules it imports, each once. */
function declarationsOf(file, seen = new Set()) {
  if (seen.has(file)) return "";
  seen.add(file);
  return readFileSync(file, "utf8").replace(/^(?:import|export) [^;]*? from "(\..*)\.ts";\n/gm, (_, path) =>
    declarationsOf(join(dirname(file), `${path}.d.ts`), seen),
  );
}

/** Returns the licences of the packages that these files belong to. The licences must go wherever the code goes. */
function licenses(files) {
  const folders = files.map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const packages = [...new Set(folders.filter((folder) => folder !== undefined))].sort();
  return packages.map(licenseOf).join(`\n${"-".repeat(80)}\n\n`);
}

function licenseOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const by = typeof author === "string" ? author : (author?.name ?? "");
  const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
  const text =
    file === undefined || !existsSync(join(folder, file)) ? by : readFileSync(join(folder, file), "utf8");
  return `${name} ${version} (${license ?? "see below"})\n\n${text.trim()}\n`;
}
