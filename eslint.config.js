import { readdirSync } from "node:fs";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** Data flows from left to right; a stage imports only from the stages to its left. */
const stages = ["config", "probe", "state", "render", "site"];

/** What a folder outside the line of stages may not import. */
const besides = {
  hosts: ["probe", "state", "render", "site", "commands", "demo"],
  demo: ["state", "render", "site", "commands"],
  client: ["config", "probe", "state", "render", "hosts", "site", "commands", "demo"],
  browser: ["config", "probe", "state", "render", "hosts", "site", "commands", "demo"],
  commands: ["program"],
};

/** Each dependency has one home: the only files, or the only folder, that may import it. */
const homes = {
  "node:process": ["src/cli.ts", "src/child.ts", "src/site/publish/publish.ts"],
  "node:child_process": ["src/child.ts", "src/demo/git-server.ts"],
  undici: ["src/probe/request.ts"],
  "p-limit": ["src/site/verify/verify.ts"],
  "fs-extra": ["src/site/write.ts"],
  "http-server": ["src/site/serve.ts"],
  "gh-pages": ["src/site/publish/publish.ts"],
  "jsonc-parser": ["src/config/json.ts", "src/config/edit.ts"],
  preact: ["src/render/page/"],
  "preact-render-to-string": ["src/render/page/"],
  "badge-maker": ["src/render/badge.ts"],
  feed: ["src/render/feed.ts"],
  "@clack/prompts": ["src/commands/init/questions.ts"],
  "@commander-js/extra-typings": ["src/cli.ts", "src/program/"],
  "yocto-spinner": ["src/cli.ts"],
  "cli-table3": ["src/commands/aligned-table.ts"],
};

function forbidden(folder) {
  const own = stages.indexOf(folder);
  return own < 0
    ? (besides[folder] ?? [])
    : [
        ...stages.slice(own + 1),
        "commands",
        "demo",
        "browser",
        ...(own < stages.indexOf("render") ? ["hosts"] : []),
      ];
}

function importRules(file, folder) {
  const foreign = Object.keys(homes).filter(
    (name) => !homes[name].some((home) => (home.endsWith("/") ? file.startsWith(home) : file === home)),
  );
  const later = forbidden(folder);
  return {
    "no-restricted-imports": [
      "error",
      {
        paths: foreign.map((name) => ({ name, message: `Its home is ${homes[name].join(", ")}.` })),
        patterns: later.length
          ? [
              {
                group: later.flatMap((name) => [`../${name}/*`, `../../${name}/*`]),
                message: "A stage imports only leftwards.",
              },
            ]
          : [],
      },
    ],
  };
}

const sources = readdirSync("src", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/"));

export default defineConfig(
  { ignores: ["dist/", "_site/", "coverage/", "node_modules/"] },
  {
    files: ["src/**/*.{ts,tsx}", "test/**/*.{ts,tsx}", "*.config.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "no-empty": ["error", { allowEmptyCatch: false }],
      "no-console": "error",
      "max-lines": ["error", { max: 280, skipBlankLines: true, skipComments: true }],
      "@typescript-eslint/restrict-template-expressions": [
        "error",
        { allowNumber: true, allowBoolean: true },
      ],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ["test/**/*.{ts,tsx}"],
    // Tables are long, and vitest's matchers and node's events are typed as any.
    rules: { "max-lines": "off", "@typescript-eslint/no-unsafe-assignment": "off" },
  },
  {
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/cli.ts"],
    rules: {
      "no-restricted-globals": ["error", { name: "process", message: "src/cli.ts alone owns process." }],
    },
  },
  ...sources.map((file) => ({ files: [file], rules: importRules(file, file.split("/")[1]) })),
);
