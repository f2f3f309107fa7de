import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { gitServer } from "../../src/features/demo/git-server.ts";
import type { Behaviour } from "../../src/features/demo/mirror-server.ts";
import { addCommit, createRepositories, type Repository } from "../../src/features/demo/repositories.ts";
import { closeAfterFile } from "./close-after-test.ts";
import { git, gitEnvironment } from "./git.ts";
import { type ServerOptions, startProvider, startServer } from "./mirror-server.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import "./worker-exit.ts";

export type Testbed = Awaited<ReturnType<typeof startTestbed>>;

type Repositories = Awaited<ReturnType<typeof createRepositories>>;

/** Each worker makes the repositories once, which takes Git twenty processes. */
let made: Promise<{ readonly folder: string; readonly repositories: Repositories }> | undefined;

async function makeRepositories() {
  const folder = mkdtempSync(join(tmpdir(), "mirrorfeed-repositories-"));
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return { folder, repositories: await createRepositories(git, folder) };
}

/** Starts a testbed like the demo's, with servers that count their requests. It lasts until all tests in the file are done. */
export async function startTestbed() {
  const original = await (made ??= makeRepositories());
  const folder = temporaryFolder();
  // Tests may change their repositories.
  cpSync(original.folder, folder, { recursive: true });
  const here = ({ folder: place, ...repository }: Repository): Repository => {
    return { ...repository, folder: place.replace(original.folder, folder) };
  };
  const { good, identical, lagging, diverged, empty, otherBranch } = original.repositories;
  return {
    folder,
    repositories: {
      ...{ good: here(good), identical: here(identical), lagging: here(lagging) },
      ...{ diverged: here(diverged), empty: here(empty), otherBranch: here(otherBranch) },
    },
    /** On this port, which is reserved, nothing listens. */
    refusedUrl: "http://127.0.0.1:2",
    addCommit: (repository: Repository) => addCommit(git, repository),
    gitServer: (root: string) => gitServer(root, gitEnvironment),
    startProvider: async (options?: ServerOptions) => closeAfterFile(await startProvider(options)),
    startServer: async (behaviour: Behaviour, options?: ServerOptions) =>
      closeAfterFile(await startServer(behaviour, options)),
  };
}
