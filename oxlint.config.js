import { readdirSync } from "node:fs";
import { defineConfig } from "oxlint";

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
  "node:process": [
    "src/action/check.ts",
    "src/git/child-process.ts",
    "src/publish/commit.ts",
    "src/publish/gh-pages.ts",
  ],
  "node:child_process": ["src/git/child-process.ts", "src/action/check.ts", "src/testbed/git-server.ts"],
  // For servers alone: what asks uses undici.
  "node:http": ["src/site/serve.ts", "src/site/answer.ts", "src/testbed/"],
  "node:https": ["src/testbed/"],
  undici: ["src/http/dispatcher.ts", "src/http/raw-client.ts"],
  "p-limit": [
    "src/verify/requests.ts",
    "src/probe/schedule.ts",
    "src/probe/keyrings.ts",
    "src/kinds/samples.ts",
  ],
  "fs-extra": ["src/site/write.ts", "src/commands/host.ts"],
  "http-server": ["src/site/serve.ts"],
  send: ["src/site/answer.ts"],
  "gh-pages": ["src/publish/gh-pages.ts"],
  "@rgrove/parse-xml": ["src/kinds/repomd.ts"],
  "jsonc-parser": ["src/config/json.ts", "src/config/edit.ts"],
  preact: ["src/pages/"],
  "preact-render-to-string": ["src/pages/"],
  "badge-maker": ["src/render/badge.ts"],
  "@clack/prompts": ["src/init/questions.ts"],
  "@commander-js/extra-typings": ["src/program/"],
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

/** What a file may not import: the dependencies at home elsewhere, and the rooms above its own. */
function importRules(file) {
  const room = file.split("/")[1];
  const foreign = Object.keys(homes).filter(
    (name) => !homes[name].some((home) => (home.endsWith("/") ? file.startsWith(home) : file === home)),
  );
  const above = room.includes(".") ? [] : forbidden(room);
  const message = "A room imports only from those that stand before it in oxlint.config.js.";
  return {
    "no-restricted-imports": [
      "error",
      {
        paths: foreign.map((name) => ({ name, message: `Its home is ${homes[name].join(", ")}.` })),
        patterns: above.length
          ? [{ group: above.flatMap((name) => [`../${name}/*`, `../../${name}/*`]), message }]
          : [],
      },
    ],
  };
}

const sources = readdirSync("src", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/"));

/** The rules of "strict-type-checked" of typescript-eslint that are not among those of correctness. */
const strict = [
  ...["ban-ts-comment", "no-confusing-void-expression", "no-deprecated", "no-dynamic-delete"],
  ...["no-empty-object-type", "no-explicit-any", "no-extraneous-class", "no-generated-empty-object-type"],
  ...["no-invalid-void-type", "no-misused-promises", "no-mixed-enums", "no-namespace"],
  ...["no-non-null-asserted-nullish-coalescing", "no-non-null-assertion", "no-require-imports"],
  ...["no-unnecessary-boolean-literal-compare", "no-unnecessary-condition"],
  ...["no-unnecessary-template-expression", "no-unnecessary-type-arguments", "no-unnecessary-type-assertion"],
  ...["no-unnecessary-type-constraint", "no-unnecessary-type-conversion", "no-unnecessary-type-parameters"],
  ...["no-unsafe-argument", "no-unsafe-assignment", "no-unsafe-call", "no-unsafe-enum-comparison"],
  ...["no-unsafe-function-type", "no-unsafe-member-access", "no-unsafe-return", "only-throw-error"],
  ...["prefer-literal-enum-member", "prefer-promise-reject-errors", "prefer-reduce-type-parameter"],
  ...["prefer-return-this-type", "related-getter-setter-pairs", "require-await"],
  ...["unified-signatures", "use-unknown-in-catch-callback-variable"],
];

const strictWithOptions = {
  "typescript/restrict-plus-operands": [
    "error",
    {
      ...{ allowAny: false, allowBoolean: false, allowNullish: false },
      ...{ allowNumberAndString: false, allowRegExp: false },
    },
  ],
  "typescript/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
  "typescript/return-await": ["error", "error-handling-correctness-only"],
  "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
};

export default defineConfig({
  plugins: ["typescript", "oxc", "import"],
  categories: { correctness: "error" },
  options: { typeAware: true, typeCheck: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["dist/", "_site/", "coverage/", ".stryker-tmp/", ".github/actions/check/index.mjs"],
  rules: {
    // A registry is a namespace, whose entries are found by their names.
    "import/namespace": "off",
    // The tests and the bounds of outputs are about such characters.
    "no-control-regex": "off",
  },
  overrides: [
    {
      files: ["src/**/*.{ts,tsx}", "test/**/*.{ts,tsx}", "*.config.ts"],
      rules: {
        ...Object.fromEntries(strict.map((name) => [`typescript/${name}`, "error"])),
        ...strictWithOptions,
        "typescript/consistent-type-imports": "error",
        "import/no-cycle": ["error", { ignoreTypes: false }],
        "max-lines": ["error", { max: 280, skipBlankLines: true, skipComments: true }],
        "no-array-constructor": "error",
        "no-console": "error",
        "no-empty": ["error", { allowEmptyCatch: false }],
        "no-useless-constructor": "error",
      },
    },
    {
      files: ["test/**/*.{ts,tsx}"],
      // Tables are long, and vitest's matchers and node's events are typed as any.
      rules: { "max-lines": "off", "typescript/no-unsafe-assignment": "off" },
    },
    {
      files: ["test/**/*.ts", "*.js"],
      // Tests sort to compare, in any order, and JavaScript does not say what is sorted.
      rules: { "typescript/require-array-sort-compare": "off" },
    },
    {
      files: ["src/**/*.{ts,tsx}"],
      excludeFiles: ["src/cli.ts"],
      rules: {
        "no-restricted-globals": ["error", { name: "process", message: "src/cli.ts alone owns process." }],
      },
    },
    ...sources.map((file) => ({ files: [file], rules: importRules(file) })),
  ],
});
