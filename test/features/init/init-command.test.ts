import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import type { InitFlags } from "../../../src/features/init/answers.ts";
import { init, type InitOptions } from "../../../src/features/init/init-command.ts";
import { workflowPath } from "../../../src/features/init/files.ts";
import { validateConfig } from "../../../src/core/config/validate.ts";
import { Interrupted } from "../../../src/core/base/errors.ts";
import { declaredCommands } from "../../support/declared-commands.ts";
import { git } from "../../support/git.ts";
import { everything, folderWith } from "../../support/folder.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { recorded, sentence } from "../../support/command-context.ts";
import { keys, scriptedTerminal } from "../../support/terminal.ts";
import type { Terminal } from "../../../src/core/base/terminal/context.ts";
import { hostNames } from "../../../src/core/config/site-settings.ts";

const first = "https://git.example.org/joomla/packages";
const second = "https://mirror.example.org/joomla/packages";
const program = { pin: "mirrorfeed@0.1.0", files: [] };
const flags: InitFlags = { mirror: [first, second], system: "community", project: "jcb", target: "packages" };

async function run(folder: string, options: InitOptions = flags, terminal?: Terminal) {
  const { context, printed, logged } = recorded({ environment: { PATH: process.env["PATH"] } });
  const code = await init(folder, options, context, terminal, () => Promise.resolve(program));
  return { code, printed: printed.join("\n"), logged: logged.join("\n") };
}

function textOf(folder: string, path: string): string {
  return readFileSync(join(folder, path), "utf8");
}

const mirrors = `{
  "$schema": "./mirrors.schema.json",
  "systems": [
    {
      "system": "community",
      "projects": [
        {
          "project": "jcb",
          "targets": [
            {
              "target": "packages",
              "network": [
                { "id": 1, "url": "${first}" },
                { "id": 2, "url": "${second}" }
              ]
            }
          ]
        }
      ]
    }
  ],
  "site": {
    "interval": "30m",
    "host": "github-pages"
  }
}
`;

describe("init with flags", () => {
  test("writes what a feed needs, names it, and says what comes next", async () => {
    const folder = join(temporaryFolder(), "new/feed");
    const { code, printed, logged } = await run(folder);
    const workflows = ["refresh.yml", "summary.js", "validate.yml"].map((name) =>
      join(".github/workflows", name),
    );
    const names = ["mirrors.json", "mirrors.schema.json", ...workflows, ".gitignore"];
    const places = names.slice(0, -1).map((name) => join(folder, name));
    const wrote = `Wrote ${places.join(", ")} and ${join(folder, ".gitignore")}.`;
    expect({ code, printed }).toEqual({ code: 0, printed: wrote });
    expect(Object.keys(everything(folder)).sort()).toEqual([...names].sort());
    expect(textOf(folder, "mirrors.json")).toBe(mirrors);
    expect(textOf(folder, ".gitignore")).toBe("_site/\n.mirrorfeed/\nmirrorfeed.key\nnode_modules/\n");
    expect(logged.split("\n")).toEqual([
      "Next:",
      `  cd ${folder}`,
      "  npx mirrorfeed run      # probes the mirrors and writes _site/",
      "  npx mirrorfeed serve    # shows the site at http://127.0.0.1:8080",
      '  git init -b main && git add . && git commit -m "Mirror feed"    # then push it to GitHub',
      "  On GitHub: Settings → Pages → Source: GitHub Actions; then Actions → Refresh the feed → Run workflow.",
    ]);
  });

  test("gives an editor the schema beside the file, which it takes without a network", async () => {
    const folder = temporaryFolder();
    await run(folder, { ...flags, url: "https://status.example.org/feed/" });
    const value = JSON.parse(textOf(folder, "mirrors.json")) as { $schema: string; site: object };
    expect(value.site).toMatchObject({ url: "https://status.example.org/feed/" });
    const schema = textOf(folder, value.$schema);
    expect(schema).toBe(readFileSync("public/mirrors.schema.json", "utf8"));
    const isRight = new Ajv({ validateFormats: false }).compile(JSON.parse(schema) as object);
    expect(isRight(value), JSON.stringify(isRight.errors)).toBe(true);
    expect(isRight({ ...value, sytems: [] })).toBe(false);
  });

  test.each(hostNames)("for %s the file is right, and every command it names exists", async (host) => {
    const folder = temporaryFolder();
    const isServer = ["nginx", "apache", "caddy"].includes(host);
    const interval = isServer ? "60s" : "6h";
    const url = "https://status.example.org/";
    const { logged, printed } = await run(folder, { ...flags, host, interval, url });
    const config = validateConfig(textOf(folder, "mirrors.json"), "mirrors.json");
    expect(config.site).toMatchObject({ host, interval });
    expect(logged.includes("watch --interval 60s")).toBe(isServer);
    expect(existsSync(join(folder, ".github"))).toBe(!isServer);
    expect(printed.includes("refresh.yml")).toBe(!isServer);
    expect(logged.split("\n").length).toBeLessThanOrEqual(9);
    expect(logged).toContain("npx mirrorfeed run");
    expect(logged).toContain("npx mirrorfeed serve");
    await expectCommands(logged);
  });

  test("names a folder as a shell reads it", async () => {
    const folder = join(temporaryFolder(), "~x, it's");
    const word = `'${folder.replace("'", String.raw`'\''`)}'`;
    expect((await run(folder)).logged.split("\n")[1]).toBe(`  cd ${word}`);
  });

  test("in a repository begins none", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, ".git"));
    expect((await run(folder)).logged).toContain('\n  git add . && git commit -m "Mirror feed"    # then');
  });
});

describe("init in a repository", () => {
  /** A repository with these files, on the branch trunk. */
  async function repositoryWith(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = folderWith(files);
    await git(["init", "--quiet", "--initial-branch=trunk", folder]);
    return folder;
  }
  const publishOf = (folder: string) => /PUBLISH: "(.*)"/.exec(textOf(folder, workflowPath))?.[1];

  test("starts runs from its branch, and names files that Git ignores with the line to add", async () => {
    const folder = await repositoryWith({ ".gitignore": "*.json\n!mirrors.schema.json\n" });
    const { logged } = await run(folder);
    expect(textOf(folder, workflowPath)).toContain('branches: ["trunk"]');
    expect(logged).toContain(
      `Warning: Git ignores mirrors.json, because of the pattern "*.json"; add the line !/mirrors.json to .gitignore.`,
    );
    expect(logged).not.toContain("mirrors.schema.json");
    expect(publishOf(folder)).toBe("pages");
  });

  const deploying = "- uses: actions/deploy-pages@v4\n";

  test.each([
    ["a workflow", { ".github/workflows/docs.yml": `      ${deploying}` }, "docs.yml can"],
    ["a domain", { CNAME: "example.org\n" }, "CNAME can"],
    ["documents", { "docs/index.md": "# Documents\n" }, "docs/index.md can"],
  ])("leaves GitHub Pages to the site that %s shows", async (_, files, named) => {
    const folder = await repositoryWith(files);
    const { logged } = await run(folder);
    expect(publishOf(folder)).toBe("branch");
    expect(logged).toContain(named);
    expect(logged).toContain("PUBLISH: pages");
    expect(logged).not.toContain("Settings");
    expect((await run(join(folder, "other"), { ...flags, host: "netlify" })).logged).not.toContain("Warning");
  });

  test("leaves GitHub Pages to a branch gh-pages, wherever it is", async () => {
    const folder = await repositoryWith({});
    const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    await git(["-C", folder, ...author, "commit", "--quiet", "--allow-empty", "--message=a"]);
    await git(["-C", folder, "update-ref", "refs/remotes/origin/gh-pages", "HEAD"]);
    expect((await run(folder)).logged).toContain("the branch gh-pages can");
    expect(publishOf(folder)).toBe("branch");
  });

  test("sees no site in a comment", async () => {
    const folder = await repositoryWith({ ".github/workflows/ci.yml": `      # ${deploying}` });
    expect((await run(folder)).logged).not.toContain("Warning");
  });
});

describe("init offers", () => {
  const privateUrl = "http://10.0.0.1/joomla/packages";

  test("a primary and private addresses, by flags", async () => {
    const folder = temporaryFolder();
    const given = { ...flags, mirror: [first, privateUrl], primary: `${privateUrl}/` };
    const { logged } = await run(folder, { ...given, allowPrivate: true });
    const config = validateConfig(textOf(folder, "mirrors.json"), "mirrors.json");
    expect(config.probe.allowPrivate).toBe(true);
    expect(config.systems[0]?.projects[0]?.targets[0]?.primary).toBe(2);
    expect(logged).not.toContain("Warning");
    const warned = await run(join(folder, "other"), given);
    expect(warned.logged).toContain("Warning: 1 URL in a private network (10.0.0.1)");
  });

  test("names and a host on a terminal, with what each host means", async () => {
    const folder = temporaryFolder();
    await git(["init", "--quiet", "--template=", folder]);
    await git(["-C", folder, "remote", "add", "origin", "git@github.com:Owner/mirrors.git"]);
    const terminal = scriptedTerminal([
      [/GitHub Pages \(the workflow deploys it; unknown names get a 404/, keys.enter],
      [/The site.s URL/, keys.enter],
      [/do the others copy/, `${keys.down}${keys.enter}`],
    ]);
    await run(folder, { ...flags, kind: "git" }, terminal);
    expect(terminal.left()).toEqual([]);
    const config = validateConfig(textOf(folder, "mirrors.json"), "mirrors.json");
    expect(config.site.url).toBe("https://owner.github.io/mirrors/");
    expect(config.systems[0]?.projects[0]?.targets[0]?.primary).toBe(1);
  });

  test.each<[InitFlags, object?]>([
    [{ kind: "apt", suite: "bookworm" }, { apt: { suite: "bookworm" } }],
    [{ kind: "apt" }],
    [{ kind: "rpm" }],
  ])("the kind of the mirrors, by %j", async ({ kind, suite }, more = {}) => {
    const folder = temporaryFolder();
    await run(folder, { ...flags, kind, suite });
    const config = validateConfig(textOf(folder, "mirrors.json"), "mirrors.json");
    expect(config.systems[0]?.projects[0]?.targets[0]?.probe).toEqual({ kind, ...more });
  });
});

/** Expects every `npx mirrorfeed COMMAND --option` in a text to exist. */
async function expectCommands(text: string): Promise<void> {
  const commands = await declaredCommands();
  const calls = [...text.matchAll(/npx mirrorfeed (\w+)([^#\n]*)/g)];
  expect(calls.length).toBeGreaterThan(1);
  for (const [, name, rest = ""] of calls) {
    const command = commands.find((one) => one.name() === name);
    const known = command?.options.map(({ long }) => long);
    for (const [option] of rest.matchAll(/--[a-z-]+/g))
      expect(known, `${String(name)} ${option}`).toContain(option);
    expect(command, name).toBeDefined();
  }
}

describe("nothing is written, and one sentence says why", () => {
  const nothing = "Without a terminal, and with --yes, nothing is asked; give";
  const place = "systems[0].projects[0].targets[0]";
  const unknownKey: unknown = expect.stringMatching(/pacman.suite: is not a known key/);
  const tooLong: unknown = expect.stringContaining("site.interval: must be 7d or shorter");

  test.each<[string, InitOptions, unknown]>([
    ["flags are missing", {}, `${nothing} --mirror, --system, --project and --target.`],
    ["one is", { ...flags, yes: true, target: undefined }, `${nothing} --target.`],
    [
      "mirrors are not right",
      { ...flags, mirror: [first, first, `${second}?a`] },
      [
        "The new mirrors.json has 2 problems:",
        `  ${place}.network[1].url: "${first}" is already the URL of ${place}.network[0]; remove one of the two (line 14)`,
        `  ${place}.network[2].url: has a query, which only http mirrors may have; remove the ? and everything after it (line 15)`,
      ].join("\n"),
    ],
    ["the kind has no suite", { ...flags, kind: "pacman", suite: "y" }, unknownKey],
    [
      "GitHub cannot keep the interval",
      { ...flags, interval: "7m" },
      '--interval: the workflow cannot run every "7m"; write 5m, 10m, 15m, 20m, 30m, 1h, 2h, 3h, 4h, 6h, 8h, 12h or 24h, or choose a host that needs no workflow.',
    ],
    ["no host can keep the interval", { ...flags, host: "nginx", interval: "8d" }, tooLong],
    [
      "the primary is no mirror",
      { ...flags, primary: "https://a.example.org/x" },
      '--primary: "https://a.example.org/x" is not one of the mirrors; name one of them.',
    ],
  ])("where %s", async (_, options, message) => {
    const folder = temporaryFolder();
    expect(await sentence(run(folder, options))).toEqual(message);
    expect(everything(folder)).toEqual({});
  });

  test.each(["mirrors.json", "mirrors.schema.json", ".github/workflows/refresh.yml"])(
    "where there is a %s",
    async (path) => {
      const folder = folderWith({ [path]: "mine" });
      expect(await sentence(run(folder))).toBe(
        `${join(folder, path)} already exists, and init overwrites nothing; add mirrors with mirrorfeed add, or name another folder.`,
      );
      expect(everything(folder)).toEqual({ [path]: "mine" });
    },
  );

  test("where a folder cannot be made, half-way", async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, ".github"));
    symlinkSync("nowhere", join(folder, ".github/workflows"));
    expect(await sentence(run(folder))).toMatch(/ cannot be written: .*; name another folder\.$/);
    expect(everything(folder)).toEqual({ ".github/workflows": "-> nowhere" });
  });
});

test("a .gitignore that is there is left as it is, with a word on what it needs", async () => {
  const folder = folderWith({ ".gitignore": "dist/\n" });
  const { logged, printed } = await run(folder);
  expect(logged).toContain("add _site/, .mirrorfeed/, mirrorfeed.key and node_modules/, if missing.");
  expect(printed).not.toContain(".gitignore");
  expect(textOf(folder, ".gitignore")).toBe("dist/\n");
});

describe("init on a terminal", () => {
  test("asks nothing with --yes", async () => {
    const terminal = scriptedTerminal([]);
    expect(await run(temporaryFolder(), { ...flags, yes: true }, terminal)).toMatchObject({ code: 0 });
    expect(terminal.seen()).toBe("");
  });

  test("asks nothing where it could not write", async () => {
    const folder = folderWith({ "mirrors.json": "mine" });
    const terminal = scriptedTerminal([]);
    expect(await sentence(run(folder, {}, terminal))).toContain("already exists");
    expect(terminal.seen()).toBe("");
  });

  test("writes nothing where it is interrupted", async () => {
    const folder = join(temporaryFolder(), "feed");
    const terminal = scriptedTerminal([[/What do the mirrors/, keys.interrupt]]);
    await expect(run(folder, flags, terminal)).rejects.toThrow(Interrupted);
    expect(everything(dirname(folder))).toEqual({});
  });
});
