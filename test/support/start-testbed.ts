import { join } from "node:path";
import type { Behaviour } from "../../src/features/demo/mirror-server.ts";
import { closeAfterFile } from "./close-after-test.ts";
import { git, gitEnvironment } from "./git.ts";
import { gitServer } from "./git-server.ts";
import { type ServerOptions, startProvider, startServer } from "./mirror-server.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export type Testbed = Awaited<ReturnType<typeof startTestbed>>;

/** Servers that run until all tests in the file are done. */
export const testbed = {
  /** On this port, which is reserved, nothing listens. */
  refusedUrl: "http://127.0.0.1:2",
  startProvider: async (options?: ServerOptions) => closeAfterFile(await startProvider(options)),
  startServer: async (behaviour: Behaviour, options?: ServerOptions) =>
    closeAfterFile(await startServer(behaviour, options)),
};

/** Adds real Git repositories in a temporary folder. */
export async function startTestbed() {
  const folder = temporaryFolder("mirrorfeed-testbed-");
  const repositories = await createRepositories(folder);
  return { ...testbed, folder, repositories, gitServer: (root: string) => gitServer(root, gitEnvironment) };
}

/**
 * Creates each bare repository as `<name>.git` in a folder. `head` is the newest commit of `main`. Commits depend only on
 * their number and subject, so the object ids are the same on every machine.
 */
async function createRepositories(below: string) {
  const make = async (name: string, subjects: readonly string[]) => {
    const folder = join(below, `${name}.git`);
    await git(["init", "--quiet", "--bare", "--template=", folder]);
    // Older versions of Git have no `init --initial-branch`.
    await git(["-C", folder, "symbolic-ref", "HEAD", `refs/heads/main`]);
    const commits = subjects.map((subject, index) => commit(subject, index + 1));
    const input = `${commits.join("")}get-mark :1\n`;
    return { folder, head: await git(["-C", folder, "fast-import", "--quiet"], input) };
  };
  const three = ["Commit 1", "Commit 2", "Commit 3"];
  return {
    good: await make("good", three),
    identical: await make("identical", three),
    lagging: await make("lagging", three.slice(0, 2)),
  };
}

/** Renders a commit for `git fast-import`. All text is ASCII, so its length is its size in bytes. */
function commit(subject: string, number: number): string {
  const author = `Testbed <testbed@mirrorfeed.invalid> ${1_767_225_600 + number * 3600} +0000`;
  return [
    `commit refs/heads/main`,
    "mark :1",
    `author ${author}`,
    `committer ${author}`,
    data(`${subject}\n`),
    "M 100644 inline README.md",
    data(`# A repository of the testbed\n\n${subject}\n`),
    "",
  ].join("\n");
}

function data(text: string): string {
  return `data ${text.length}\n${text}`;
}
