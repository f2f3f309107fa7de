import { group } from "../../core/base/text/group.ts";
import {
  addCommit,
  answer,
  type Behaviour,
  createRepositories,
  flaky,
  gitServer,
  type Handler,
  type Listening,
  loginPage,
  moved,
  silent,
  slow,
  sshBanner,
  startServer,
} from "./mirror-server.ts";
import { inventedMinutes } from "./demo-history.ts";

const project = "joomla";
const hour = 3_600_000;

/**
 * Starts the demo's mirrors. One provider has the primaries of all targets, and another has their copies. Every mirror
 * with a problem has its own provider. One of the mirrors with a problem is in maintenance. Returns the demo's
 * mirrors.json, `close`, which ends the servers, and `moveOn`, which adds a commit to the primaries, the copies and the
 * lagging mirror. The lagging mirror stays one commit behind.
 */
export async function startDemo(now: number) {
  const repositories = createRepositories();
  const { good, lagging, diverged } = repositories;
  const servers: Listening[] = [];
  const start = async (behaviour: Behaviour): Promise<string> => {
    const isHandler = typeof behaviour === "function";
    const server = await startServer(isHandler ? atEveryTarget(behaviour) : behaviour);
    servers.push(server);
    return server.url;
  };
  const primaries = await start(gitServer(good));
  const copies = await start(gitServer(good));
  const mirrors = await Promise.all(
    listMirrors(repositories, primaries, copies).map(async ([target, trait, behaviour], index) => {
      const server = typeof behaviour === "string" ? behaviour : await start(behaviour);
      const url = `${server}/${project}/${target}`;
      const name = `${trait} - ${url.replace(/^https?:\/\//, "")}`;
      return { target, node: { id: index + 1, name, url } };
    }),
  );
  const byTarget = group(mirrors.map(({ target, node }) => [target, node] as const));
  const targets = [...byTarget].map(([target, network]) => ({ target, primary: network[0].id, network }));
  const maintained = mirrors.filter(({ node }) => node.name.startsWith("broken "));
  return {
    config: {
      systems: [{ system: "demo", projects: [{ project, targets }] }],
      probe: { allowPrivate: true, timeout: "3s", attempts: 2 },
      site: { title: "Demo with an invented history", interval: `${inventedMinutes}m` },
      maintenance: maintained.map(({ node }) => ({
        scope: node.id,
        from: new Date(now - hour).toISOString(),
        to: new Date(now + 5 * hour).toISOString(),
        reason: "moving to new disks",
      })),
    },
    /** What the primary would say of the diverged mirror's commit, if it had objects: it was never its own. */
    history: {
      [`demo/${project}/packages`]: {
        "refs/heads/main": { [diverged.commits.at(-1) ?? ""]: { past: false } },
      },
    },
    moveOn: () => {
      for (const repository of [good, lagging]) addCommit(repository);
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** On this port, which is reserved, nothing listens. */
const refusedUrl = "http://127.0.0.1:2";

/** Returns each mirror's target, trait, and behaviour or, if another server has it, that server's URL. */
function listMirrors(
  { good, lagging, diverged, empty, otherBranch }: ReturnType<typeof createRepositories>,
  primaries: string,
  copies: string,
): [target: string, trait: string, Behaviour | string][] {
  return [
    ["super-powers", "primary", primaries],
    ["super-powers", "copy", copies],
    ["super-powers", "slow", slow(400, gitServer(good))],
    ["super-powers", "has moved", moved(`${primaries}/${project}/super-powers`)],
    ["super-powers", "fails once", flaky(1, gitServer(good))],
    ["packages", "primary", primaries],
    ["packages", "copy", copies],
    ["packages", "lags behind", gitServer(lagging)],
    ["packages", "went its own way", gitServer(diverged)],
    ["packages", "hangs", silent()],
    ["packages", "refuses", refusedUrl],
    ["packages", "not found", answer(404)],
    ["packages", "broken", answer(500)],
    ["packages", "login page", loginPage()],
    ["templates", "primary", primaries],
    ["templates", "copy", copies],
    ["templates", "empty", gitServer(empty)],
    ["templates", "other branch", gitServer(otherBranch)],
    ["templates", "private", answer(401, { "www-authenticate": 'Basic realm="Testbed"' })],
    ["templates", "too busy", answer(429, { "retry-after": "30" })],
    ["templates", "speaks SSH", sshBanner()],
  ];
}

/** Serves a mirror at the path of every target. */
function atEveryTarget(handler: Handler): Handler {
  return (exchange) => handler({ ...exchange, path: exchange.path.replace(/^\/[^/]+\/[^/]+/, "") });
}
