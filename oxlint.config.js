import { readdirSync } from "node:fs";
import { posix } from "node:path";
import { defineConfig } from "oxlint";

// The layers are cli.ts, app, features and core. Each imports only from those below it.

/** The rooms of core, highest first. Each imports only from those below it. */
const core = ["command", "site", "feed", "state", "probe", "config", "kinds", "verdict", "contract", "base"];

/** The features and packages that each feature, or package for other programs, may import besides core. No circles. */
const arrows = {
  action: ["client"],
  add: ["incidents"],
  badges: [],
  changes: ["layout"],
  client: [],
  demo: ["serve"],
  explain: [],
  families: [],
  hosts: [],
  incidents: ["layout"],
  init: ["add", "hosts"],
  jcb: [],
  layout: [],
  lists: [],
  metrics: [],
  notify: ["explain"],
  openapi: ["badges", "changes", "hosts", "layout", "lists", "pages"],
  pages: ["changes", "explain", "incidents", "layout", "lists"],
  pick: ["client", "trust"],
  publish: ["trust"],
  serve: [],
  statuspage: [],
  templates: ["lists"],
  trust: ["client"],
  validate: ["explain", "incidents", "init", "jcb"],
  verify: ["hosts"],
  wait: ["trust"],
};

/** Throws Error if the arrows that start at a feature lead back to it. `path` leads to the feature. */
function refuseCircle(name, path = []) {
  if (path.includes(name)) {
    const circle = [...path.slice(path.indexOf(name)), name].join(" → ");
    throw new Error(`The arrows in oxlint.config.js contain a circle: ${circle}.`);
  }
  for (const next of arrows[name]) refuseCircle(next, [...path, name]);
}

for (const name of Object.keys(arrows)) refuseCircle(name);

for (const name of readdirSync("src/features"))
  if (!(name in arrows)) throw new Error(`The feature ${name} is missing in arrows of oxlint.config.js.`);

/** What is published shows the feed, and does not know how it was made. */
const shown = ["badges", "changes", "layout", "lists", "metrics", "openapi", "pages", "statuspage"];
const unknownToShown = ["state", "config", "probe"];

/** Packages for other programs: core's rooms that they may import. */
const packages = { action: ["base"], client: ["verdict", "contract", "base"] };

/** The home of each dependency: the only files and folders that may import it. `*` stands for any start. */
const homes = {
  "node:process": [
    "src/action/check.ts",
    "src/core/base/git/child-process.ts",
    "src/features/publish/commit.ts",
    "src/features/publish/gh-pages.ts",
  ],
  "node:child_process": ["src/core/base/git/child-process.ts", "src/action/check.ts"],
  // Only for servers: clients use undici.
  "node:http": ["src/features/serve/serve.ts", "src/features/serve/answer.ts", "src/features/demo/"],
  "node:https": ["src/features/demo/"],
  undici: ["src/core/base/http/connection.ts"],
  "p-limit": [
    "src/features/verify/requests.ts",
    "src/core/probe/schedule.ts",
    "src/core/probe/keyrings.ts",
    "src/core/kinds/package-list.ts",
    "src/core/base/http/response.ts",
    "src/features/notify/notify-run.ts",
  ],
  "fs-extra": ["src/core/site/write.ts", "src/features/hosts/host-command.ts"],
  "http-server": ["src/features/serve/serve.ts"],
  send: ["src/features/serve/answer.ts"],
  "gh-pages": ["src/features/publish/gh-pages.ts"],
  "@rgrove/parse-xml": ["src/core/base/text/xml.ts"],
  "xz-decompress": ["src/core/kinds/decompress.ts"],
  "zstddec/stream": ["src/core/kinds/decompress.ts"],
  "jsonc-parser": ["src/core/config/json-document.ts", "src/features/add/edit-nodes.ts"],
  preact: ["src/features/layout/", "src/features/pages/", "src/features/incidents/incident-list.tsx"],
  "preact-render-to-string": ["src/features/layout/layout.tsx"],
  badgen: ["src/features/badges/badge.ts"],
  "@clack/prompts": ["src/features/init/questions.ts"],
  "@commander-js/extra-typings": [
    ...["src/app/commands/", "src/core/command/", "*-command.ts"],
    ...["src/features/init/answers.ts", "src/features/trust/query.ts"],
  ],
  "yocto-spinner": ["src/cli.ts"],
  yaml: ["src/core/config/notice.ts"],
  "markdown-it": ["src/features/incidents/notice-markdown.ts"],
  mustache: ["src/features/templates/template.ts"],
  "ical-generator": ["src/features/changes/calendar.ts"],
  nodemailer: ["src/features/notify/channels/email.ts"],
  "damerau-levenshtein": ["src/core/base/text/name.ts"],
  zod: ["src/core/base/zod.ts"],
};

/** The files and folders of src/ that a file may not import. */
function forbidden(file) {
  const [, layer, room] = file.split("/");
  const folderOf = (name) => (name in packages ? name : `features/${name}`);
  const inCore = (rooms) => rooms.map((name) => `core/${name}`);
  const above = ["cli.ts", "app"];
  const own = layer === "features" ? room : layer;
  const foreign = Object.keys(arrows).filter((name) => name !== own && !arrows[own]?.includes(name));
  if (layer === "core")
    return [...above, ...foreign.map(folderOf), ...inCore(core.slice(0, core.indexOf(room)))];
  if (layer === "features")
    return [...above, ...foreign.map(folderOf), ...(shown.includes(room) ? inCore(unknownToShown) : [])];
  if (layer in packages) {
    const closed = core.filter((name) => !packages[layer].includes(name));
    return [...above, ...foreign.map(folderOf), ...inCore(closed)];
  }
  return layer === "app" ? ["cli.ts"] : [];
}

function isAt(file, home) {
  if (home.startsWith("*")) return file.endsWith(home.slice(1));
  return home.endsWith("/") ? file.startsWith(home) : file === home;
}

/** Forbids importing a dependency whose home is elsewhere, or a folder that the file's room may not import. */
function importRules(file) {
  const foreign = Object.keys(homes).filter((name) => !homes[name].some((home) => isAt(file, home)));
  const group = forbidden(file).map((name) => {
    const path = posix.relative(posix.dirname(file), `src/${name}`);
    return `${path.startsWith(".") ? path : `./${path}`}${name.endsWith(".ts") ? "" : "/**"}`;
  });
  return {
    "no-restricted-imports": [
      "error",
      {
        paths: foreign.map((name) => ({ name, message: `Only ${homes[name].join(", ")} may import it.` })),
        patterns: [{ group, message: "See core and arrows in oxlint.config.js." }],
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
