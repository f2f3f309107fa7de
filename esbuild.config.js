import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

// The program is bundled with what it uses: it starts at once, and an installation is one package. gh-pages stays
// outside, since `publish` runs it in a process of its own.
const outside = ["gh-pages", "spdy"];

// undici's index also loads fetch, WebSocket, caches and mocks, which take longer than a run of 44 mirrors. This is what
// it does for the dispatchers alone.
const dispatchers = {
  name: "dispatchers",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "dispatchers" }));
    onLoad({ filter: /^undici$/, namespace: "dispatchers" }, () => ({
      contents: `
        import api from "undici/lib/api/index.js";
        import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
        Object.assign(Dispatcher.prototype, api);
        export { default as Client } from "undici/lib/dispatcher/client.js";
        export { default as EnvHttpProxyAgent } from "undici/lib/dispatcher/env-http-proxy-agent.js";`,
      resolveDir: import.meta.dirname,
    }));
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
    // The CommonJS in the bundle asks for modules of Node with require().
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    mainFields: ["module", "main"],
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    // The server below http-server asks for it only where it is told to speak SPDY.
    external: ["spdy"],
    plugins: [dispatchers],
  }),
  build({
    ...common,
    entryPoints: { "gh-pages": "gh-pages" },
    outdir: "dist",
    outExtension: { ".js": ".cjs" },
    platform: "node",
    target: "node20.19",
    format: "cjs",
    minifySyntax: true,
    minifyWhitespace: true,
  }),
  build({ ...common, entryPoints: ["src/client/index.ts"], outdir: "dist/client", platform: "neutral" }),
  build({
    ...common,
    entryPoints: ["src/browser/status.ts"],
    outdir: "dist/public/assets",
    platform: "browser",
    minify: true,
  }),
]);

const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
writeFileSync("dist/THIRD-PARTY-LICENSES.txt", licenses(inputs));

/** The licences of the packages these files are of: they ask to go wherever their code goes. */
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
