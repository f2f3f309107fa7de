import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Behaviour } from "../../src/features/demo/mirror-server.ts";
import { closeAfterFile } from "./close-after-test.ts";
import { gitEnvironment } from "./git.ts";
import { line, makeGraph } from "./git-graph.ts";
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

/** Creates equal bare repositories as `<name>.git` in a folder. `head` is the newest commit of `main`. */
async function createRepositories(below: string) {
  const make = async (name: string) => {
    const graph = await makeGraph(line(3), { "refs/heads/main": 2 });
    const folder = join(below, `${name}.git`);
    renameSync(graph.folder, folder);
    return { folder, head: graph.ids[2] ?? "" };
  };
  return { good: await make("good"), identical: await make("identical") };
}
