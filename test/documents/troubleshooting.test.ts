import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { takeLock } from "../../src/base/files/lock.ts";
import { oldestNode, requireNode } from "../../src/commands/program.ts";
import { advertisement } from "../support/advertisement.ts";
import { startServer } from "../../src/testbed/server.ts";
import { certificateFor } from "../support/certificates.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { type ConsoleOptions, runConsole, withoutChance } from "../support/console.ts";
import { feedDocuments } from "../support/contract/feed.ts";
import { deploy } from "../support/deployment.ts";
import { loadDocument, type Section } from "../support/document.ts";
import { git } from "../support/git.ts";
import { runInProcess } from "../support/in-process.ts";
import { startPagesServer } from "../support/pages-server.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { feedOf, mirror, page, serve, serveRoutes } from "../support/serving.ts";
import { sentence } from "../support/command-context.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/troubleshooting.md");

function section(heading: string): Section {
  const found = guide.sections.find((one) => one.heading === heading);
  if (found === undefined) throw new Error(`There is no section "${heading}".`);
  return found;
}

function block(heading: string, language: string): string {
  return section(heading).blocks.find((one) => one.language === language)?.text ?? "";
}

/** What a sample stands for here: texts of its commands, and addresses in what they print. */
interface Scene extends ConsoleOptions {
  readonly shown?: Readonly<Record<string, string>>;
}

/** Returns what the sample of a section prints here, and the sample. */
async function printed(heading: string, { shown = {}, ...options }: Scene, number = 0): Promise<string[]> {
  const samples = section(heading).blocks.filter(({ language }) => language === "console");
  const text = samples[number]?.text ?? "";
  const actual = await runConsole(text, options);
  const named = Object.entries(shown).reduce(
    (all, [from, to]) => all.replaceAll(withoutChance(from), to),
    actual,
  );
  return [named, withoutChance(text)];
}

/** Writes a mirrors.json of one target, community/jcb/packages, with mirrors at these URLs. Returns its folder. */
function folderOf(urls: readonly string[], more: object = {}, probe: object = {}): string {
  const network = urls.map((url, index) => ({ id: index + 1, url }));
  const projects = [{ project: "jcb", targets: [{ target: "packages", network }] }];
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, "mirrors.json"),
    JSON.stringify({
      systems: [{ system: "community", projects }],
      probe: { allowPrivate: true, attempts: 1, ...probe },
      ...more,
    }),
  );
  return folder;
}

const closed = ["http://127.0.0.1:9/jcb/packages", "http://127.0.0.1:10/jcb/packages"];
const gitHost = "https://git.example.org";

describeWith("curl", findProgram("curl") !== undefined, "what the reader of troubleshooting.md sees", () => {
  test("a void run: the first one, a later one, and what GitHub Pages answers", async () => {
    const folder = folderOf(closed);
    const [first, expected] = await printed("All mirrors are offline after the first run", { folder });
    expect(first).toBe(expected);
    const [later, voided] = await printed("Exit code 3", { folder });
    expect(later).toBe(voided);

    const pages = closeAfterTest(await startPagesServer(join(folder, "_site")));
    const replaced = { "https://OWNER.github.io/REPOSITORY": pages.url };
    const [missing, notFound] = await printed("404 instead of 403", { folder, replaced });
    expect(missing).toBe(notFound);
    const ask = block("GitHub Pages serves an old feed", "sh");
    expect(await runConsole(`$ ${ask}`, { folder, replaced })).toMatch(/"run":"[^"]+"/);
  });

  test("an expired feed", async () => {
    const feed = await serveRoutes(feedOf([mirror(1, 1)]));
    const replaced = { "https://status.example.org": feed.url };
    const [text, expected] = await printed("The schedule has stopped", {
      folder: temporaryFolder(),
      replaced,
    });
    expect(text).toBe(expected);
  });

  test("a protected branch of the state", async () => {
    const server = await serve(page(200));
    const folder = folderOf([`${server.url}/jcb/packages`], {}, { kind: "http" });
    const remote = join(folder, "state.git");
    await git(["init", "--quiet", "--bare", remote]);
    await git(["-C", remote, "config", "receive.denyNonFastForwards", "true"]);
    const state = ["--state", "branch:mirrorfeed-state", "--state-remote", remote];
    expect((await runInProcess(["run", ...state], { folder })).code).toBe(0);
    const address = `${gitHost}/state.git`;
    const scene = { folder, replaced: { [address]: remote }, shown: { [remote]: address } };
    const [text, expected] = await printed("A conflict on the branch of the state", scene);
    expect(text).toBe(expected);
  });

  test("a private mirror, and one that is a web page", async () => {
    const server = await serve(({ response, path }) => {
      response
        .writeHead(path.startsWith("/a/private") ? 401 : 200, { "content-type": "text/html" })
        .end("<p>");
    });
    const scene = {
      folder: temporaryFolder(),
      replaced: { [`probe ${gitHost}`]: `probe --allow-private ${server.url}` },
      shown: { [server.url]: gitHost },
    };
    for (const heading of ["A private repository", "A mirror is offline, but works in the browser"]) {
      const [text, expected] = await printed(heading, scene);
      expect(text).toBe(expected);
    }
  });

  test("a proxy of another kind", async () => {
    const [text, expected] = await printed("Behind a proxy", { folder: folderOf(closed) });
    expect(text).toBe(expected);
  });

  test("a certificate of an authority that Node.js does not know", async () => {
    const own = await certificateFor("127.0.0.1");
    const server = closeAfterTest(await startServer(advertisement(), { tls: own }));
    const folder = temporaryFolder();
    writeFileSync(join(folder, "company.pem"), own.cert);
    const scene = {
      folder,
      replaced: { [`probe ${gitHost}`]: `probe --allow-private ${server.url}` },
      shown: { [server.url]: gitHost },
    };
    for (const number of [0, 1]) {
      const [text, expected] = await printed("A certificate of your company", scene, number);
      expect(text).toBe(expected);
    }
  });

  test("a state of another version, which stays as it is", async () => {
    const folder = folderOf(closed);
    mkdirSync(join(folder, ".mirrorfeed"));
    const state = join(folder, ".mirrorfeed/state.json");
    writeFileSync(state, '{"schema":3}');
    const [text, expected] = await printed("A state of another version", { folder });
    expect(text).toBe(expected);
    expect(readFileSync(state, "utf8")).toBe('{"schema":3}');
  });

  test("messages without their variables, and none that is due", async () => {
    const notifications = loadDocument(".github/docs/notifications.md");
    const whole = notifications.sections
      .flatMap(({ blocks }) => blocks)
      .find(({ language }) => language === "json");
    const folder = temporaryFolder();
    writeFileSync(join(folder, "mirrors.json"), whole?.text ?? "");
    mkdirSync(join(folder, ".mirrorfeed"));
    const node = { status: 1, since: 1, transitions: [] };
    const nodes = { 5: node, 6: node };
    const state = { schema: 1, runs: [["one", Date.now()]], nodes, references: {}, vantages: {} };
    writeFileSync(join(folder, ".mirrorfeed/state.json"), JSON.stringify(state));
    const [text, expected] = await printed("Messages do not arrive", { folder });
    expect(text).toBe(expected);
  });

  test("a CDN with error pages of its own", async () => {
    const { url } = await deploy(feedDocuments, (draft) =>
      draft.status < 400
        ? draft
        : { status: draft.status, headers: { "Content-Type": "text/html" }, body: "<h1>Forbidden</h1>" },
    );
    const replaced = { "https://status.example.org": url };
    const [text, expected] = await printed("verify fails behind a CDN", {
      folder: temporaryFolder(),
      replaced,
    });
    expect(text).toBe(expected);
  });

  test("a port in use", async () => {
    const folder = folderOf(closed);
    await runInProcess(["run"], { folder });
    const { port } = await serve(page(200));
    const replaced = { "--port 8080": `--port ${port}` };
    const [text, expected] = await printed("A port is in use", { folder, replaced });
    expect(text?.replace(`Port ${port} `, "Port 8080 ")).toBe(expected);
  });
});

test("a lock that another run holds", async () => {
  const folder = temporaryFolder();
  const lock = join(folder, "lock");
  writeFileSync(lock, "builder.4711.01234567-89ab-cdef-0123-456789abcdef");
  const taking = takeLock(lock, {
    processes: { own: 1, isAlive: () => true },
    interrupt: new AbortController().signal,
    timeoutMs: 0,
  });
  const written = block("A lock of a killed run", "text").replace("_site/.mirrorfeed/lock", lock);
  expect(`mirrorfeed: ${await sentence(taking)}\n`).toBe(written);
});

describe("a version of Node.js", () => {
  test.each(["v18.20.8", "v20.18.3", "v0.12.0"])("%s is too old", (version) => {
    const written = block("Node.js is too old", "text").replace("v18.20.8", version);
    expect(() => {
      requireNode(version);
    }).toThrow(written.trimEnd().replace("mirrorfeed: ", ""));
  });

  test.each(["v20.19.0", "v20.20.0", "v22.0.0", "v24.1.0", "v100.0.0"])("%s is new enough", (version) => {
    expect(() => {
      requireNode(version);
    }).not.toThrow();
  });

  test("is the one that npm reads", () => {
    const { engines }: { engines: { node: string } } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(engines.node).toBe(`>=${oldestNode}`);
  });
});
