import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { git, gitEnvironment, newRemote } from "../../support/git.ts";
import { type Behaviour, type RunningServer, startServer } from "../../support/mirror-server.ts";
import { errorCode } from "../../../src/core/base/errors.ts";
import { gitDescendants } from "../../support/processes.ts";
import { pages, writtenSite } from "../../support/folder.ts";
import { closeAfterFile, closeAfterTest } from "../../support/close-after-test.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { authorization, type GitRemote, startGitRemote } from "../../support/git-remote.ts";
import {
  branchFiles,
  failure,
  log,
  publish,
  publishElsewhere,
  setHook,
  isolateTemporaryFiles,
} from "../../support/publishing.ts";

isolateTemporaryFiles();

test("a hook that says no ends it with the remote's reason, escaped and short", async () => {
  const remote = await newRemote();
  const commit = await publishElsewhere(remote, { "index.html": "first" });
  setHook(remote, "printf 'this branch is\\033[31m protected %0300d\\n' 7 >&2; exit 1");
  const sentence = await failure({ remote });
  expect(sentence).toMatch(
    /refused the site \(check the address and your permission to push\): "remote: this branch is\\u001b.* and "\[remote rejected\]/,
  );
  expect(sentence.length).toBeLessThan(400);
  expect(await log(remote)).toEqual([commit]);
});

test("a repository around the folder for temporary files is not read", async () => {
  // Anyone can make a repository in /tmp, with settings that run programs or replace addresses.
  const remote = await newRemote();
  await git(["init", "--quiet", "--template=", tmpdir()]);
  await git(["-C", tmpdir(), "config", `url.${remote}.elsewhere.insteadOf`, remote]);
  try {
    expect(await publish({ remote })).toMatchObject({ published: true });
  } finally {
    rmSync(join(tmpdir(), ".git"), { recursive: true });
  }
});

test("a remote that is missing, or is not a repository, gives one sentence", async () => {
  const nowhere = join(temporaryFolder(), "nowhere.git");
  const missing = await failure({ remote: nowhere });
  expect(missing).toMatch(/nowhere\.git" cannot be read \(check .*\): .*does not appear to be/);
  const refusing = await failure({ remote: "https://127.0.0.1:1/x.git" });
  expect(refusing).toMatch(/cannot be read \(check .*MIRRORFEED_TOKEN\): "/);
  expect(await failure({ remote: "ssh://127.0.0.1:1/x.git" })).toMatch(/cannot be read/);
});

test.each([
  "https://user:secret@example.org/x.git",
  "https://secret@example.org/x.git",
  "http://:secret@example.org/x.git",
  "ssh://git:secret@example.org/x.git",
  "https://user:secret@exa mple.org/x",
])("an address with credentials is refused and not repeated: %s", async (remote) => {
  const sentence = await failure({ remote });
  expect(sentence).not.toContain("secret");
  expect(sentence).toMatch(/MIRRORFEED_TOKEN|is not an https/);
});

test.each(["", "-upload-pack=x", "-oProxyCommand=x", "ext::sh -c x", "fd::17", "a::b", "a\nb"])(
  "%j is not an address",
  async (remote) => {
    expect(await failure({ remote })).toMatch(/is not a Git remote; give a URL|is not an https/);
  },
);

describe("a remote over https", () => {
  const token = "ghp_TestToken0123456789";
  let root: string;
  let server: GitRemote;
  let environment: Record<string, string | undefined>;
  const address = () => `${server.url}/remote.git`;
  const withToken = (given: string) => ({ ...environment, MIRRORFEED_TOKEN: given });

  beforeAll(async () => {
    const remote = await newRemote();
    root = join(remote, "..");
    server = closeAfterFile(await startGitRemote(root, token));
    const certificate = join(root, "certificate.pem");
    writeFileSync(certificate, server.cert);
    environment = { ...gitEnvironment, GIT_SSL_CAINFO: certificate, no_proxy: "*" };
  });
  test("is published to with the token, which is in no file and on no command line", async () => {
    const out = writtenSite(pages);
    const search = startSearch(token);
    const { commit } = await publish({ remote: address(), out, environment: withToken(`${token}\n`) });
    const { rounds, files, found } = await search.stop();
    expect(found).toEqual([]);
    expect(rounds).toBeGreaterThan(2);
    expect(files).toBeGreaterThan(20);
    expect(await log(join(root, "remote.git"))).toEqual([commit]);
    expect(await branchFiles(join(root, "remote.git"))).toMatchObject({ "v1/network/index.json": "{}" });
    expect(filesBelow(root).filter((file) => readFileSync(file).includes(token))).toEqual([]);
  });

  test("is published to with GITHUB_TOKEN only where it is GitHub's own", async () => {
    const github = { ...environment, GITHUB_TOKEN: token };
    expect(await failure({ remote: address(), environment: github })).toMatch(/cannot be read/);
    const own = { ...github, GITHUB_SERVER_URL: server.url };
    expect(await publish({ remote: address(), environment: own, message: "x" })).toBeDefined();
  });

  test("that the token is wrong for says so, without the token or what it is sent as", async () => {
    const wrong = "ghp_WrongToken987";
    const logged: string[] = [];
    const log = (text: string) => logged.push(text);
    const sentence = await failure({ remote: address(), environment: withToken(wrong), log });
    expect(sentence).toMatch(/cannot be read \(check the address and the token in MIRRORFEED_TOKEN\): "/);
    for (const text of [sentence, ...logged]) {
      expect(text).not.toContain(wrong);
      expect(text).not.toContain(authorization(wrong).slice("Basic ".length));
    }
  });

  test("and a hook that prints the token is not listened to", async () => {
    const remote = join(root, "remote.git");
    setHook(remote, `echo "you sent ${token} as ${authorization(token)}" >&2; exit 1`);
    const out = writtenSite({ "index.html": "other" });
    const sentence = await failure({ remote: address(), out, environment: withToken(token) });
    expect(sentence).toMatch(/"remote: you sent … as Basic …"/);
    rmSync(join(remote, "hooks"), { recursive: true });
  });

  test("that points elsewhere is not followed with a token", async () => {
    const elsewhere = closeAfterTest(await startServer(() => undefined));
    const redirect: Behaviour = ({ response, path }) => {
      response.writeHead(302, { location: `${elsewhere.url}${path}` }).end();
    };
    const tls = { key: server.key, cert: server.cert };
    const pointing = closeAfterTest(await startServer(redirect, { tls }));
    const remote = `${pointing.url}/remote.git`;
    const sentence = await failure({ remote, environment: withToken(token) });
    expect(sentence).toMatch(/cannot be read \(check .*\): .*302/);
    expect([pointing.requests, elsewhere.requests]).toEqual([1, 0]);
  });

  test("is not sent a token that would break the header", async () => {
    const sentence = await failure({ remote: address(), environment: withToken("a\r\nX-Evil: b") });
    expect(sentence).toBe("MIRRORFEED_TOKEN contains an invalid character; set it again.");
  });
});

describe("a remote that hangs", () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = closeAfterFile(await startServer(() => undefined));
  });
  const environment = { ...gitEnvironment, no_proxy: "*" };

  test("is given up when it is silent, and when all takes too long", async () => {
    const remote = `${server.url}/x.git`;
    expect(await failure({ remote, environment, silenceMs: 300 })).toMatch(
      /cannot be read \(check .*\): git printed nothing for too long\.$/,
    );
    expect(await failure({ remote, environment, totalMs: 300 })).toMatch(/took more than 0.3 seconds/);
    expect(await gitDescendants()).toEqual([]);
  });
});

/**
 * Searches the command lines of all processes and the temporary files of publish for a text, until the search is
 * stopped.
 */
function startSearch(text: string) {
  const found: string[] = [];
  let [rounds, files] = [0, 0];
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      const { stdout } = await promisify(execFile)("ps", ["-A", "-ww", "-o", "args="]);
      found.push(...stdout.split("\n").filter((line) => line.includes(text)));
      for (const name of readdirSync(tmpdir())) {
        if (!name.startsWith("mirrorfeed-publish-")) continue;
        const below = filesBelow(join(tmpdir(), name));
        files += below.length;
        found.push(...below.filter((file) => orNothing(() => readFileSync(file), "").includes(text)));
      }
      rounds += 1;
      await wait(5);
    }
  };
  const looking = look();
  return {
    stop: async () => {
      isOver = true;
      await looking;
      return { rounds, files, found };
    },
  };
}

function filesBelow(folder: string): string[] {
  const entries = orNothing(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const place = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(place);
    return entry.isFile() ? [place] : [];
  });
}

/** Returns what `read` returns, or `nothing` if the file or process no longer exists. */
function orNothing<One, Other>(read: () => One, nothing: Other): One | Other {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    return nothing;
  }
}
