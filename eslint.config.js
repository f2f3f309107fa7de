import { readdirSync } from "node:fs";
import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/**
 * The rooms of the house, the ground floor first. A room imports only from those before it.
 */
const rooms = [
  ...["text", "language", "files", "git", "http", "terminal"],
  ...["client", "hosts", "kinds", "channels", "config", "probe", "state", "model", "notify"],
  ...["render", "pages", "docs", "site", "publish", "verify", "pipeline"],
  ...["testbed", "feed", "import", "init", "commands", "program"],
];

/** The rooms that import nothing, or only these. */
const own = {
  text: [],
  client: [],
  language: ["text"],
  browser: ["text", "language"],
  hosts: ["text", "files"],
  kinds: ["text", "http"],
  channels: ["text", "http"],
  action: ["text", "client"],
};

/** Each dependency has one home: the only files, or the only folder, that may import it. */
const homes = {
  "node:process": ["src/cli.ts", "src/action/check.ts", "src/git/child-process.ts", "src/publish/publish.ts"],
  "node:child_process": ["src/git/child-process.ts", "src/action/check.ts", "src/testbed/git-server.ts"],
  // For servers alone: what asks uses undici.
  "node:http": ["src/site/serve.ts", "src/site/answer.ts", "src/testbed/"],
  "node:https": ["src/testbed/"],
  undici: ["src/http/dispatcher.ts", "src/http/raw-client.ts"],
  "p-limit": [
    "src/verify/verify.ts",
    "src/probe/schedule.ts",
    "src/probe/keyrings.ts",
    "src/kinds/samples.ts",
  ],
  "fs-extra": ["src/site/write.ts"],
  "http-server": ["src/site/serve.ts"],
  "gh-pages": ["src/publish/publish.ts"],
  "@rgrove/parse-xml": ["src/kinds/repomd.ts"],
  "jsonc-parser": ["src/config/json.ts", "src/config/edit.ts"],
  preact: ["src/pages/", "src/docs/"],
  "preact-render-to-string": ["src/pages/", "src/docs/"],
  "badge-maker": ["src/render/badge.ts"],
  feed: ["src/render/change-feed.ts"],
  "@clack/prompts": ["src/init/questions.ts"],
  "@commander-js/extra-typings": ["src/cli.ts", "src/program/"],
  "yocto-spinner": ["src/cli.ts"],
  yaml: ["src/config/yaml.ts"],
  "markdown-it": ["src/pages/markdown.ts"],
  "ical-generator": ["src/render/calendar.ts"],
  nodemailer: ["src/channels/email.ts"],
  "cli-table3": ["src/terminal/aligned-table.ts"],
};

function forbidden(room) {
  const allowed = own[room] ?? rooms.slice(0, rooms.indexOf(room));
  return [...rooms, "browser", "action"].filter((other) => other !== room && !allowed.includes(other));
}

function importRules(file, room) {
  const foreign = Object.keys(homes).filter(
    (name) => !homes[name].some((home) => (home.endsWith("/") ? file.startsWith(home) : file === home)),
  );
  const later = room.includes(".") ? [] : forbidden(room);
  return {
    "no-restricted-imports": [
      "error",
      {
        paths: foreign.map((name) => ({ name, message: `Its home is ${homes[name].join(", ")}.` })),
        patterns: later.length
          ? [
              {
                group: later.flatMap((name) => [`../${name}/*`, `../../${name}/*`]),
                message: "A room imports only from those that stand before it in eslint.config.js.",
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
  {
    ignores: [
      "dist/",
      "_site/",
      "coverage/",
      ".stryker-tmp/",
      "node_modules/",
      ".github/actions/check/index.mjs",
    ],
  },
  {
    files: ["src/**/*.{ts,tsx}", "test/**/*.{ts,tsx}", "*.config.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        project: ["tsconfig.json", "src/browser/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
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
