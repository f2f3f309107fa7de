import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Environment } from "../git/child-process.ts";
import { environmentWithoutUser } from "../git/environment.ts";
import { printingGit, requireGit } from "./git.ts";
import { gitServer } from "./git-server.ts";
import { type Provider, startProvider } from "./provider.ts";
import { holdRefusedPort } from "./refused.ts";
import { makeTemporaryFolder } from "../files/temporary-folder.ts";
import { addCommit, createRepositories, type Repositories, type Repository } from "./repositories.ts";
import {
  type Behaviour,
  type Handler,
  type RunningServer,
  type ServerOptions,
  startServer,
} from "./server.ts";

/** What a testbed needs of the process. */
export interface Surroundings {
  /** Git is found by its PATH. */
  readonly environment: Environment;
  /** Ends every Git that makes repositories and commits. */
  readonly interrupt: AbortSignal;
}

export interface TestbedOptions extends ServerOptions {
  /** The parent folder of the testbed's own folder (default: the system's folder for temporary files). */
  readonly folder?: string | undefined;
}

/** Real Git repositories, and servers on loopback that end with it. */
export interface Testbed {
  /** Its own folder, which `close` removes. */
  readonly folder: string;
  readonly repositories: Repositories;
  /** Adds one more commit to a repository, as `addCommit` of repositories.ts does. */
  readonly addCommit: (repository: Repository) => Promise<Repository>;
  /** Serves the repositories in a folder, or one repository, to every client. */
  readonly gitServer: (root: string) => Handler;
  /** Starts a server for several mirrors. Missing options are those of the testbed. */
  readonly startProvider: (options?: ServerOptions) => Promise<Provider>;
  /** Starts a server of one behaviour. Missing options are those of the testbed. */
  readonly startServer: (behaviour: Behaviour, options?: ServerOptions) => Promise<RunningServer>;
  /** Returns the URL of a port that refuses connections, without a slash at the end. */
  readonly refusedUrl: () => string;
  /** Ends all servers, connections and child processes, and removes the folder. */
  readonly close: () => Promise<void>;
}

/** Makes the repositories. Throws InputError if Git is missing, and the reason of the interrupt. */
export async function startTestbed(
  surroundings: Surroundings,
  options: TestbedOptions = {},
): Promise<Testbed> {
  const environment = environmentWithoutUser(surroundings.environment);
  const git = printingGit(environment, surroundings.interrupt);
  const { folder: parent, ...defaults } = options;
  const folder =
    parent === undefined ? makeTemporaryFolder("demo") : await mkdtemp(join(parent, "mirrorfeed-demo-"));
  const open: { close: () => Promise<void> }[] = [];

  async function keep<Closable extends { close: () => Promise<void> }>(started: Promise<Closable>) {
    const closable = await started;
    open.push(closable);
    return closable;
  }

  async function end(): Promise<void> {
    const outcomes = await Promise.allSettled(open.map((closable) => closable.close()));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    const problems = outcomes.flatMap((outcome): unknown[] =>
      outcome.status === "rejected" ? [outcome.reason] : [],
    );
    if (problems.length > 0) throw new AggregateError(problems, "A server of the testbed failed.");
  }

  try {
    await requireGit(git);
    const repositories = await createRepositories(git, folder);
    const refused = await keep(holdRefusedPort());
    let ending: Promise<void> | undefined;
    return {
      folder,
      repositories,
      addCommit: (repository) => addCommit(git, repository),
      gitServer: (root) => gitServer(root, environment),
      startProvider: (own) => keep(startProvider({ ...defaults, ...own })),
      startServer: (behaviour, own) => keep(startServer(behaviour, { ...defaults, ...own })),
      refusedUrl: () => refused.url,
      close: () => (ending ??= end()),
    };
  } catch (error) {
    await end();
    throw error;
  }
}
