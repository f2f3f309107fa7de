import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../child.ts";
import { environmentWithoutUser } from "../git-environment.ts";
import { printingGit, requireGit } from "./git.ts";
import { gitServer } from "./git-server.ts";
import { type Provider, startProvider } from "./provider.ts";
import { holdRefusedPort } from "./refused.ts";
import { addCommit, createRepositories, type Repositories, type Repository } from "./repositories.ts";
import {
  type Behaviour,
  type Handler,
  type RunningServer,
  type ServerOptions,
  startServer,
} from "./server.ts";

/** What a laboratory needs of the process. */
export interface Surroundings {
  /** git is found by its PATH. */
  readonly environment: Environment;
  /** Ends every git that makes repositories and commits. */
  readonly interrupt: AbortSignal;
}

export interface LaboratoryOptions extends ServerOptions {
  /** The folder in which the laboratory makes its own, the system's for temporary files by default. */
  readonly folder?: string | undefined;
}

/** Real git repositories, and servers on loopback that end with it. */
export interface Laboratory {
  /** Its own folder, which `close` removes. */
  readonly folder: string;
  readonly repositories: Repositories;
  /** Adds one more commit to a repository, as `addCommit` of repositories.ts does. */
  readonly addCommit: (repository: Repository) => Promise<Repository>;
  /** Serves the repositories in a folder, or one repository, to anybody. */
  readonly gitServer: (root: string) => Handler;
  /** Starts a server for several mirrors; options left out are those of the laboratory. */
  readonly startProvider: (options?: ServerOptions) => Promise<Provider>;
  /** Starts a server of one behaviour; options left out are those of the laboratory. */
  readonly startServer: (behaviour: Behaviour, options?: ServerOptions) => Promise<RunningServer>;
  /** The url of a port that refuses connections, without a slash at the end. */
  readonly refusedUrl: () => string;
  /** Ends all servers, connections and child processes, and removes the folder. */
  readonly close: () => Promise<void>;
}

/**
 * Makes the repositories and waits for servers to be started. Throws an InputError where git is missing, and the reason
 * of the interrupt.
 */
export async function startLaboratory(
  surroundings: Surroundings,
  options: LaboratoryOptions = {},
): Promise<Laboratory> {
  const environment = environmentWithoutUser(surroundings.environment);
  const git = printingGit(environment, surroundings.interrupt);
  const { folder: parent = tmpdir(), ...defaults } = options;
  const folder = await mkdtemp(join(parent, "mirrorfeed-demo-"));
  const open: { close: () => Promise<void> }[] = [];

  async function keep<Closable extends { close: () => Promise<void> }>(started: Promise<Closable>) {
    const closable = await started;
    open.push(closable);
    return closable;
  }

  async function end(): Promise<void> {
    const outcomes = await Promise.allSettled(open.map((closable) => closable.close()));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    const faults = outcomes.flatMap((outcome): unknown[] =>
      outcome.status === "rejected" ? [outcome.reason] : [],
    );
    if (faults.length > 0) throw new AggregateError(faults, "A server of the laboratory failed.");
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
