import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { takeLock } from "../../src/core/base/files/lock.ts";
import { advertisement } from "../support/advertisement.ts";
import { startServer } from "../support/mirror-server.ts";
import { certificateFor } from "../support/certificates.ts";
import { closeAfterTest } from "../support/close-after-test.ts";
import { type ConsoleOptions, runConsole, withoutChance } from "../support/console.ts";
import { feedDocuments } from "../support/contract/feed.ts";
import { deploy } from "../support/deployment.ts";
import { loadDocument, textsBelow } from "../support/document.ts";
import { git } from "../support/git.ts";
import { runInProcess } from "../support/in-process.ts";
import { startPagesServer } from "../support/pages-server.ts";
import { describeWith, findProgram } from "../support/requirement.ts";
import { feedOf, mirror, page, serve, serveRoutes } from "../support/serving.ts";
import { sentence } from "../support/command-context.ts";
import { writeOneTarget } from "../support/one-target.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const guide = loadDocument(".github/docs/troubleshooting.md");

function block(heading: string, language: string): string {
  return textsBelow(guide, heading, language)[0] ?? "";
}

/** A sample's replacements: `replaced` in its commands, and `shown` in what the commands print. */
interface Scene extends ConsoleOptions {
  readonly shown?: Readonly<Record<string, string>>;
}

async function expectPrinted(heading: string, { shown = {}, ...options }: Scene, number = 0): Promise<void> {
  const text = textsBelow(guide, heading, "console")[number] ?? "";
  const printed = await runConsole(text, options);
  const named = Object.entries(shown).reduce(
    (all, [from, to]) => all.replaceAll(withoutChance(from), to),
    printed,
  );
  expect(named).toBe(withoutChance(text));
}

function folderOf(urls: readonly string[], probe: object = {}): string {
  const folder = temporaryFolder();
  writeOneTarget(folder, urls, { probe: { allowPrivate: true, attempts: 1, ...probe } });
  return folder;
}

/** The server as the document's host. */
function sceneOf(url: string) {
  const replaced = { [`probe ${gitHost}`]: `probe --allow-private ${url}` };
  return { folder: temporaryFolder(), replaced, shown: { [url]: gitHost } };
}

const closed = ["http://127.0.0.1:9/jcb/packages", "http://127.0.0.1:10/jcb/packages"];
const gitHost = "https://git.example.org";

describeWith("curl", findProgram("curl") !== undefined, "what the reader of troubleshooting.md sees", () => {
  test("a void run: the first one, a later one, and what GitHub Pages answers", async () => {
    const folder = folderOf(closed);
    await expectPrinted("All mirrors are offline after the first run", { folder });
    await expectPrinted("Exit code 3: the prober is offline", { folder });

    const pages = closeAfterTest(await startPagesServer(join(folder, "_site")));
    const replaced = { "https://OWNER.github.io/REPOSITORY": pages.url };
    await expectPrinted("404 instead of 403", { folder, replaced });
    const ask = block("GitHub Pages serves an old feed", "sh");
    expect(await runConsole(`$ ${ask}`, { folder, replaced })).toMatch(/"run":"[^"]+"/);
  });

  test("an expired feed", async () => {
    const feed = await serveRoutes(feedOf([mirror(1, 1)]));
    const replaced = { "https://status.example.org": feed.url };
    await expectPrinted("Scheduled runs have stopped", { folder: temporaryFolder(), replaced });
  });

  test("a protected branch of the state", async () => {
    const server = await serve(page(200));
    const folder = folderOf([`${server.url}/jcb/packages`], { kind: "http" });
    const remote = join(folder, "state.git");
    await git(["init", "--quiet", "--bare", remote]);
    await git(["-C", remote, "config", "receive.denyNonFastForwards", "true"]);
    const state = ["--state", "branch:mirrorfeed-state", "--state-remote", remote];
    expect((await runInProcess(["run", ...state], { folder })).code).toBe(0);
    const address = `${gitHost}/state.git`;
    const scene = { folder, replaced: { [address]: remote }, shown: { [remote]: address } };
    await expectPrinted("Git refuses to push the state branch", scene);
  });

  test("a private mirror, and one that is a web page", async () => {
    const server = await serve(({ response, path }) => {
      response
        .writeHead(path.startsWith("/a/private") ? 401 : 200, { "content-type": "text/html" })
        .end("<p>");
    });
    const scene = sceneOf(server.url);
    for (const heading of ["Private repositories", "A mirror is offline but works in the browser"])
      await expectPrinted(heading, scene);
  });

  test("a proxy of another kind", async () => {
    await expectPrinted("Behind a proxy", { folder: folderOf(closed) });
  });

  test("a certificate of an authority that Node.js does not know", async () => {
    const own = await certificateFor("127.0.0.1");
    const server = closeAfterTest(await startServer(advertisement(), { tls: own }));
    const scene = sceneOf(server.url);
    writeFileSync(join(scene.folder, "company.pem"), own.cert);
    for (const number of [0, 1]) await expectPrinted("Certificate errors", scene, number);
  });

  test("a state of another version, which stays as it is", async () => {
    const folder = folderOf(closed);
    mkdirSync(join(folder, ".mirrorfeed"));
    const state = join(folder, ".mirrorfeed/state.json");
    writeFileSync(state, '{"schema":3}');
    await expectPrinted("The state was written by a newer version", { folder });
    expect(readFileSync(state, "utf8")).toBe('{"schema":3}');
    writeFileSync(state, "{");
    writeFileSync(`${state}.1`, "{}");
    await expectPrinted("The state is damaged or missing", { folder });
  });

  test("a CDN with error pages of its own", async () => {
    const { url } = await deploy(feedDocuments, (draft) =>
      draft.status < 400
        ? draft
        : { status: draft.status, headers: { "Content-Type": "text/html" }, body: "<h1>Forbidden</h1>" },
    );
    const replaced = { "https://status.example.org": url };
    await expectPrinted("verify fails behind a CDN", { folder: temporaryFolder(), replaced });
  });
});

test("a lock that another run holds", async () => {
  const folder = temporaryFolder();
  const lock = join(folder, "lock");
  writeFileSync(lock, "builder.4711.01234567-89ab-cdef-0123-456789abcdef");
  const taking = takeLock(lock, {
    processes: { pid: 1, isAlive: () => true },
    interrupt: new AbortController().signal,
    timeoutMs: 0,
  });
  const written = block("The lock is held", "text").replace("_site/.mirrorfeed/lock", lock);
  expect(`mirrorfeed: ${await sentence(taking)}\n`).toBe(written);
});
