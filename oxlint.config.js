import { readdirSync } from "node:fs";
import { defineConfig } from "oxlint";

/** The six layers, lowest first. A room (a folder in src/) imports from the layers below its own. */
const layers = [
  ["base", "contract", "testbed"],
  ["kinds", "hosts", "channels"],
  ["config"],
  ["probe", "state", "feed"],
  ["outputs", "notify", "verify", "client", "action", "site", "publish"],
  ["run", "commands", "cli.ts"],
];

/** Maps a room to the rooms of its own layer that it may import. */
const neighbours = {
  ...{ contract: ["base"], testbed: ["base"] },
  ...{ state: ["probe"], feed: ["probe", "state"] },
  ...{ action: ["client"], publish: ["site"] },
  ...{ commands: ["run"], "cli.ts": ["commands"] },
};

/** Lower rooms that a room may not import. Outputs and notifications know the feed, but not how it was made. */
const closed = { notify: ["state", "config", "probe"], outputs: ["state", "config", "probe"] };

/** An output imports no other output, except those that it describes or shows. */
const outputs = readdirSync("src/outputs");
const described = {
  "src/outputs/openapi/components.ts": ["badges", "changes", "report"],
  "src/outputs/pages/docs/": ["openapi"],
};

/** The home of each dependency: the only files and folders that may import it. */
const homes = {
  "node:process": [
    "src/action/check.ts",
    "src/base/git/child-process.ts",
    "src/publish/commit.ts",
    "src/publish/gh-pages.ts",
  ],
  "node:child_process": ["src/base/git/child-process.ts", "src/action/check.ts", "src/testbed/git-server.ts"],
  // Only for servers: clients use undici.
  "node:http": ["src/site/serve.ts", "src/site/answer.ts", "src/testbed/"],
  "node:https": ["src/testbed/"],
  undici: ["src/base/http/connection.ts"],
  "p-limit": [
    "src/verify/requests.ts",
    "src/probe/schedule.ts",
    "src/probe/keyrings.ts",
    "src/kinds/package-list.ts",
    "src/base/http/response.ts",
    "src/run/notify.ts",
  ],
  "fs-extra": ["src/site/write.ts", "src/commands/host.ts"],
  "http-server": ["src/site/serve.ts"],
  send: ["src/site/answer.ts"],
  "gh-pages": ["src/publish/gh-pages.ts"],
  "@rgrove/parse-xml": ["src/kinds/repomd.ts"],
  "jsonc-parser": ["src/config/json.ts", "src/config/edit.ts"],
  preact: ["src/outputs/pages/"],
  "preact-render-to-string": ["src/outputs/pages/"],
  "badge-maker": ["src/outputs/badges/badge.ts"],
  "@clack/prompts": ["src/commands/init/questions.ts"],
  "@commander-js/extra-typings": ["src/commands/"],
  "yocto-spinner": ["src/cli.ts"],
  yaml: ["src/config/yaml.ts"],
  "markdown-it": ["src/outputs/pages/markdown.ts"],
  mustache: ["src/outputs/templates/template.ts"],
  "ical-generator": ["src/outputs/changes/calendar.ts"],
  nodemailer: ["src/channels/email.ts"],
  "cli-table3": ["src/base/terminal/table.ts"],
};

/** Returns the folders that a file may not import because they belong to other outputs. */
function otherOutputs(file) {
  const [, , own, ...path] = file.split("/");
  const exceptions = Object.keys(described).flatMap((place) =>
    file.startsWith(place) ? described[place] : [],
  );
  return outputs
    .filter((name) => name !== own && !exceptions.includes(name))
    .map((name) => `${"../".repeat(path.length)}${name}/**`);
}

function forbidden(room) {
  const floor = layers.findIndex((layer) => layer.includes(room));
  const allowed = [...layers.slice(0, floor).flat(), ...(neighbours[room] ?? []), room];
  const closedRooms = closed[room] ?? [];
  return layers.flat().filter((other) => !allowed.includes(other) || closedRooms.includes(other));
}

/** Forbids importing a dependency whose home is elsewhere, or a room that the file's room may not import. */
function importRules(file) {
  const [, room, ...path] = file.split("/");
  const foreign = Object.keys(homes).filter(
    (name) => !homes[name].some((home) => (home.endsWith("/") ? file.startsWith(home) : file === home)),
  );
  const root = path.length === 0 ? "./" : "../".repeat(path.length);
  return {
    "no-restricted-imports": [
      "error",
      {
        paths: foreign.map((name) => ({ name, message: `Only ${homes[name].join(", ")} may import it.` })),
        patterns: [
          {
            group: forbidden(room).map((name) => `${root}${name.includes(".") ? name : `${name}/**`}`),
            message: "A room imports only from the layers below it: see layers in oxlint.config.js.",
          },
          ...(room === "outputs"
            ? [{ group: otherOutputs(file), message: "An output imports no other output." }]
            : []),
        ],
      },
    ],
  };
}

const sources = readdirSync("src", { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
  .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll("\\", "/"));

/** Rules in typescript-eslint's "strict-type-checked" that are not in oxlint's correctness category. */
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
    // A registry is a namespace whose entries are looked up by name.
    "import/namespace": "off",
    // Tests must name control characters, and so must patterns that refuse them.
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
      // Tests contain long tables, and Vitest's matchers and Node.js events have the type any.
      rules: { "max-lines": "off", "typescript/no-unsafe-assignment": "off" },
    },
    {
      files: ["test/**/*.ts", "*.js"],
      // Tests sort lists only to compare them, so any order will do. This rule needs types, which JavaScript files
      // don't have.
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
