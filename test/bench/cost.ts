import { hash } from "node:crypto";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { gitServer } from "../support/git-server.ts";
import { startServer } from "../../src/features/demo/mirror-server.ts";
import { git, gitEnvironment } from "../support/git.ts";
import { runInProcess } from "../support/in-process.ts";
import { runNginx } from "../support/nginx.ts";
import { withFolder } from "./measure.ts";

/** What the probes of a day cost one mirror. */
interface Cost {
  readonly kind: string;
  readonly what: string;
  readonly requests: number;
  readonly bytes: number;
  /** User and system time of the web server and its children. */
  readonly cpuMs: number;
}

/** A response of the server. */
interface Sent {
  readonly path: string;
  readonly bytes: number;
}

const intervalMs = 30 * 60_000;
const runsADay = 48;
/** How often the content changes: every six hours. */
const runsPerChange = 12;
/** Counters of /proc are in hundredths of a second, so the day is played several times. */
const days = 2;

/** A mirror whose content changes. Each file has the size of a real one. */
interface Example {
  readonly kind: string;
  readonly what: string;
  /** The settings of the kind. */
  readonly options?: object;
  readonly files: (version: number) => Readonly<Record<string, string | Buffer>>;
}

const midnight = Date.parse("2026-03-10T00:00:00Z");
const changedAt = (version: number): Date =>
  new Date(midnight + version * runsPerChange * intervalMs - 60_000);
const noise = (seed: string, bytes: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.ceil(bytes / 64) }, (_, index) => hash("sha512", `${seed}${index}`, "buffer")),
  );
const names = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `pool/p${index}_1.0_amd64.deb`);

const examples: readonly Example[] = [
  {
    kind: "http",
    what: "a page of 10 kB",
    files: (version) => ({ "index.html": `<title>${version}</title>${" ".repeat(10_000)}` }),
  },
  {
    kind: "apt",
    what: "a release file of 150 kB, as Debian's",
    files: (version) => {
      const list = gzipSync(
        names(1000)
          .map(
            (name, index) =>
              `Package: p${index}\nFilename: ${name}\nSize: 1\nSHA256: ${hash("sha256", `${version}${name}`)}\n\n`,
          )
          .join(""),
      );
      const others = Array.from(
        { length: 1400 },
        (_, index) => ` ${hash("sha256", `${index}`)} 9 main/i18n/${index}-translation.xz\n`,
      );
      const path = "main/binary-amd64/Packages.gz";
      const own = ` ${hash("sha256", list)} ${list.length} ${path}\n`;
      const release = `Suite: stable\nDate: ${changedAt(version).toUTCString().replace("GMT", "UTC")}\nSHA256:\n${own}${others.join("")}`;
      const packages = Object.fromEntries(names(1000).map((name) => [name, "x"]));
      return { "dists/stable/InRelease": release, [`dists/stable/${path}`]: list, ...packages };
    },
  },
  {
    kind: "pacman",
    what: "a database of 120 kB, as Arch's core",
    files: (version) => ({
      lastupdate: `${changedAt(version).getTime() / 1000}\n`,
      "core/os/x86_64/core.db": gzipSync(noise(`${version}`, 120_000)),
    }),
  },
  {
    kind: "rpm",
    what: "an index of 4 kB that names a list of 1 MB",
    files: (version) => {
      const list = gzipSync(
        `<metadata>${names(200)
          .map((name) => `<package type="rpm"><location href="${name}"/><size package="1"/></package>`)
          .join("")}</metadata>${noise(`${version}`, 500_000).toString("hex")}`,
      );
      const seconds = changedAt(version).getTime() / 1000;
      const part = (type: string, file: string, size: number): string =>
        `<data type="${type}"><checksum type="sha256">${hash("sha256", list)}</checksum><location href="repodata/${file}"/><timestamp>${seconds}</timestamp><size>${size}</size></data>`;
      const others = ["filelists", "other", "updateinfo"].map((type) => part(type, `${type}.xml.gz`, 9));
      return {
        "repodata/repomd.xml":
          `<repomd xmlns="http://linux.duke.edu/metadata/repo"><revision>${seconds}</revision>${part("primary", "primary.xml.gz", list.length)}${others.join("")}</repomd>`.padEnd(
            4000,
          ),
        "repodata/primary.xml.gz": list,
        ...Object.fromEntries(
          ["filelists", "other", "updateinfo"].map((type) => [`repodata/${type}.xml.gz`, "123456789"]),
        ),
        ...Object.fromEntries(names(200).map((name) => [name, "x"])),
      };
    },
  },
];

/** Measures each kind with nginx, and Git with `git http-backend`. Throws if a mirror is not in sync at the end. */
export async function costTable(): Promise<string> {
  const costs: Cost[] = [await withFolder(gitCost)];
  for (const example of examples) costs.push(await withFolder((folder) => fileCost(example, folder)));
  const rows = costs.map(({ kind, what, requests, bytes, cpuMs }) =>
    [
      `\`${kind}\``,
      what,
      requests.toFixed(0),
      `${(bytes / 1e6).toFixed(1)} MB`,
      `${cpuMs.toFixed(0)} ms`,
    ].join(" | "),
  );
  return `| kind | example | requests | sent | CPU |\n| --- | --- | --- | --- | --- |\n${rows.map((row) => `| ${row} |\n`).join("")}`;
}

async function gitCost(folder: string): Promise<Cost> {
  const repository = join(folder, "repositories", "primary");
  await git(["init", "--bare", "--quiet", "--initial-branch=main", repository]);
  const author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
  const branches = ["main", ...Array.from({ length: 199 }, (_, index) => `branch-${index}`)];
  const commit = async (version: number): Promise<void> => {
    const tree = await git(["-C", repository, "mktree"], [""]);
    const made = await git(["-C", repository, ...author, "commit-tree", "-m", `${version}`, tree]);
    const updates = branches.map((name) => `update refs/heads/${name} ${made}\n`);
    await git(["-C", repository, "update-ref", "--stdin"], updates);
  };
  await symlink(repository, join(folder, "repositories", "mirror"));
  const sent: Sent[] = [];
  const handle = gitServer(join(folder, "repositories"), gitEnvironment);
  const server = await startServer(async (exchange) => {
    const { socket } = exchange.response;
    const before = socket?.bytesWritten ?? 0;
    await handle(exchange);
    sent.push({ path: exchange.path, bytes: (socket?.bytesWritten ?? 0) - before });
  });
  const cpu = (): number => cpuOf(process.pid, [16, 17]);
  let spent = 0;
  try {
    await play(
      folder,
      "git",
      (name) => `${server.url}/${name}`,
      {},
      commit,
      async (run) => {
        const before = cpu();
        await run();
        spent += cpu() - before;
      },
    );
  } finally {
    await server.close();
  }
  return { kind: "git", what: "a repository of 200 branches", ...ofMirror(sent, spent) };
}

async function fileCost({ kind, what, options = {}, files }: Example, folder: string): Promise<Cost> {
  const root = join(folder, "root");
  const log = join(folder, "access.log");
  await mkdir(root);
  const nginx = await runNginx(
    folder,
    (port) => `log_format sent "$uri $bytes_sent";
server { access_log ${log} sent; listen 127.0.0.1:${port}; location ~ ^/[a-z]+/(.*)$ { alias ${root}/$1; } }`,
  );
  try {
    const publish = async (version: number): Promise<void> => {
      for (const [path, content] of Object.entries(files(version))) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      }
    };
    await play(
      folder,
      kind,
      (name) => `${nginx.url}/${name}/`,
      options,
      publish,
      (run) => run(),
    );
    const lines = (await readFile(log, "utf8")).trim().split("\n");
    const sent = lines.map((line): Sent => {
      const [path = "", bytes] = line.split(" ");
      return { path, bytes: Number(bytes) };
    });
    return { kind, what, ...ofMirror(sent, cpuOf(Number(readFileSync(join(folder, "pid"))), [14, 15])) };
  } finally {
    await nginx.close();
  }
}

/** Counts what was sent for the mirror in a day. Each request counts as the same share of the CPU time. */
function ofMirror(sent: readonly Sent[], cpuMs: number): Omit<Cost, "kind" | "what"> {
  const own = sent.filter(({ path }) => path.startsWith("/mirror/"));
  const bytes = own.reduce((all, one) => all + one.bytes, 0);
  return {
    requests: own.length / days,
    bytes: bytes / days,
    cpuMs: (cpuMs * own.length) / sent.length / days,
  };
}

/** Runs mirrorfeed for some days with a primary and one mirror of the same server. */
async function play(
  folder: string,
  kind: string,
  url: (name: string) => string,
  options: object,
  publish: (version: number) => Promise<void>,
  around: (run: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const network = ["primary", "mirror"].map((name, index) => ({ id: index + 1, url: url(name) }));
  const file = {
    systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", primary: 1, network }] }] }],
    probe: { kind, allowPrivate: true, ...(Object.keys(options).length > 0 && { [kind]: options }) },
  };
  await writeFile(join(folder, "mirrors.json"), JSON.stringify(file));
  for (let run = 0; run < runsADay * days; run += 1) {
    if (run % runsPerChange === 0) await publish(run / runsPerChange);
    await around(async () => {
      const now = midnight + run * intervalMs;
      const { code, stderr } = await runInProcess(["run", "--state", "state.json", "--out", "_site"], {
        folder,
        now: () => now,
      });
      if (code !== 0) throw new Error(`${kind}: ${stderr}`);
    });
  }
}

/** Returns the sum of two counters of a process in milliseconds (proc_pid_stat(5)). */
function cpuOf(pid: number, fields: readonly number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const values = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.reduce((all, field) => all + 10 * Number(values[field - 3]), 0);
}
