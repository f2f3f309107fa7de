import { answer, flaky, loginPage, moved, silent, slow, sshBanner } from "./behaviours.ts";
import type { Testbed } from "./testbed.ts";
import { inventedMinutes } from "./demo-history.ts";
import type { Behaviour, Handler } from "./mirror-server.ts";

const project = "joomla";
const hour = 3_600_000;

interface Target {
  readonly target: string;
  readonly primary: number;
  readonly network: readonly { readonly id: number; readonly name: string; readonly url: string }[];
}

/**
 * Starts the demo's mirrors. One provider has the primaries of all targets, and another has their copies. Every mirror
 * with a problem has its own provider. One of the mirrors with a problem is in maintenance. Returns the demo's
 * mirrors.json and `moveOn`, which adds a commit to the primaries, the copies and the lagging mirror. The lagging
 * mirror stays one commit behind.
 */
export async function startDemo(testbed: Testbed, now: number) {
  const { repositories, addCommit, gitServer, refusedUrl } = testbed;
  const { good, identical, lagging } = repositories;
  const primaries = await testbed.startServer(atEveryTarget(gitServer(good.folder)));
  const copies = await testbed.startServer(atEveryTarget(gitServer(identical.folder)));
  const targets: Target[] = [];
  let lastId = 0;

  for (const [target, problems] of problemsByTarget(testbed, primaries.url)) {
    const path = `${project}/${target}`;
    const mirrors: [trait: string, url: string][] = [
      ["primary", `${primaries.url}/${path}`],
      ["copy", `${copies.url}/${path}`],
    ];
    for (const [trait, problem] of problems) {
      const behaviour = typeof problem === "function" ? atEveryTarget(problem) : problem;
      const url = behaviour === "refuses" ? refusedUrl : (await testbed.startServer(behaviour)).url;
      mirrors.push([trait, `${url}/${path}`]);
    }
    const primary = lastId + 1;
    const network = mirrors.map(([trait, url]) => ({ id: ++lastId, name: nameOf(trait, url), url }));
    targets.push({ target, primary, network });
  }

  const maintained = targets
    .flatMap(({ network }) => network)
    .filter(({ name }) => name.startsWith("broken "));
  return {
    config: {
      systems: [{ system: "demo", projects: [{ project, targets }] }],
      probe: { allowPrivate: true, timeout: "3s", attempts: 2 },
      site: { title: "Demo with an invented history", interval: `${inventedMinutes}m` },
      maintenance: maintained.map(({ id: scope }) => ({
        scope,
        from: new Date(now - hour).toISOString(),
        to: new Date(now + 5 * hour).toISOString(),
        reason: "moving to new disks",
      })),
    },
    moveOn: async () => {
      await Promise.all([good, identical, lagging].map(addCommit));
    },
  };
}

type Problem = Behaviour | "refuses";

function problemsByTarget({ repositories, gitServer }: Testbed, primaries: string) {
  const { identical, lagging, diverged, empty, otherBranch } = repositories;
  const problems: [target: string, [trait: string, Problem][]][] = [
    [
      "super-powers",
      [
        ["slow", slow(400, gitServer(identical.folder))],
        ["has moved", moved(`${primaries}/${project}/super-powers`)],
        ["fails once", flaky(1, gitServer(identical.folder))],
      ],
    ],
    [
      "packages",
      [
        ["lags behind", gitServer(lagging.folder)],
        ["went its own way", gitServer(diverged.folder)],
        ["hangs", silent()],
        ["refuses", "refuses"],
        ["not found", answer(404)],
        ["broken", answer(500)],
        ["login page", loginPage()],
      ],
    ],
    [
      "templates",
      [
        ["empty", gitServer(empty.folder)],
        ["other branch", gitServer(otherBranch.folder)],
        ["private", answer(401, { "www-authenticate": 'Basic realm="Testbed"' })],
        ["too busy", answer(429, { "retry-after": "30" })],
        ["speaks SSH", sshBanner()],
      ],
    ],
  ];
  return problems;
}

/** Serves a mirror at the path of every target. */
function atEveryTarget(handler: Handler): Handler {
  return (exchange) => handler({ ...exchange, path: exchange.path.replace(/^\/[^/]+\/[^/]+/, "") });
}

function nameOf(trait: string, url: string): string {
  return `${trait} - ${url.replace(/^https?:\/\//, "")}`;
}
