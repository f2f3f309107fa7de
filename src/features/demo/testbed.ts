import { rm } from "node:fs/promises";
import { makeTemporaryFolder } from "../../core/base/files/folders.ts";
import { environmentWithoutUser } from "../../core/base/git/git-environment.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { gitServer } from "./git-server.ts";
import { addCommit, createRepositories, printingGit, type Repository, requireGit } from "./repositories.ts";
import { type Behaviour, type Listening, startServer } from "./mirror-server.ts";

/** Real Git repositories in a temporary folder, and servers on loopback. `close` ends the servers and removes the folder. */
export type Testbed = Awaited<ReturnType<typeof startTestbed>>;

/**
 * Throws InputError if Git is missing. If interrupted while it makes commits, stops Git and throws the interrupt's
 * reason.
 */
export async function startTestbed({
  environment: ofUser,
  interrupt,
}: Pick<CommandContext, "environment" | "interrupt">) {
  const environment = environmentWithoutUser(ofUser);
  const git = printingGit(environment, interrupt);
  const folder = makeTemporaryFolder("demo");
  const servers: Listening[] = [];

  async function end(): Promise<void> {
    await Promise.all(servers.map((server) => server.close()));
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }

  try {
    await requireGit(git);
    const repositories = await createRepositories(git, folder);
    let ending: Promise<void> | undefined;
    return {
      folder,
      repositories,
      addCommit: (repository: Repository) => addCommit(git, repository),
      gitServer: (root: string) => gitServer(root, environment),
      startServer: async (behaviour: Behaviour): Promise<Listening> => {
        const server = await startServer(behaviour);
        servers.push(server);
        return server;
      },
      /** On this port, which is reserved, nothing listens. */
      refusedUrl: "http://127.0.0.1:2",
      close: () => (ending ??= end()),
    };
  } catch (error) {
    await end();
    throw error;
  }
}
