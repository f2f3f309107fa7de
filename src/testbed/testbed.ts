import { rm } from "node:fs/promises";
import { environmentWithoutUser } from "../base/git/environment.ts";
import {
  addCommit,
  createRepositories,
  printingGit,
  type Repositories,
  type Repository,
  requireGit,
} from "./repositories.ts";
import { gitServer } from "./git-server.ts";
import { type Provider, startProvider } from "./provider.ts";
import {
  type Behaviour,
  type Handler,
  holdRefusedPort,
  type RunningServer,
  type ServerOptions,
  startServer,
} from "./server.ts";
import { makeTemporaryFolder } from "../base/files/folders.ts";
import type { CommandContext } from "../base/terminal/context.ts";

/** Real Git repositories, and servers on loopback that end with it. */
export interface Testbed {
  /** Its own folder, which `close` removes. */
  readonly folder: string;
  readonly repositories: Repositories;
  readonly addCommit: (repository: Repository) => Promise<Repository>;
  /** Serves the repositories in a folder, or one repository. */
  readonly gitServer: (root: string) => Handler;
  readonly startProvider: (options?: ServerOptions) => Promise<Provider>;
  readonly startServer: (behaviour: Behaviour, options?: ServerOptions) => Promise<RunningServer>;
  /** Returns the URL of a port that refuses connections, without a slash at the end. */
  readonly refusedUrl: () => string;
  /** Ends all servers, connections and child processes, and removes the folder. */
  readonly close: () => Promise<void>;
}

/** Throws InputError if Git is missing, and the reason of the interrupt, which ends every Git that makes commits. */
export async function startTestbed({
  environment: ofUser,
  interrupt,
}: Pick<CommandContext, "environment" | "interrupt">): Promise<Testbed> {
  const environment = environmentWithoutUser(ofUser);
  const git = printingGit(environment, interrupt);
  const folder = makeTemporaryFolder("demo");
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
      startProvider: (options) => keep(startProvider(options)),
      startServer: (behaviour, options) => keep(startServer(behaviour, options)),
      refusedUrl: () => refused.url,
      close: () => (ending ??= end()),
    };
  } catch (error) {
    await end();
    throw error;
  }
}
