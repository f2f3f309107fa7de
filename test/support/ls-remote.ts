import { runChildProcess } from "../../src/core/base/git/child-process.ts";

export type Listed = Awaited<ReturnType<typeof lsRemote>>;

/** Git reads no user configuration, and never asks for a password. */
const environment = {
  PATH: process.env["PATH"],
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  no_proxy: "*",
};

/** Options that make Git give up after 3 seconds without data. */
const patience = ["-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=3"];

/**
 * Runs `git ls-remote`. If it hangs, it is killed with all its children. `output` has the refs, one a line, `head` HEAD's
 * object id, and `said` Git's error output.
 */
export async function lsRemote(url: string) {
  const ended = await runChildProcess({
    program: "git",
    homepage: "https://git-scm.com",
    parameters: ["-C", "/", ...patience, "ls-remote", url],
    environment,
    signal: new AbortController().signal,
    silenceMs: 20_000,
  });
  const output = ended.output.toString();
  const head = /^([0-9a-f]+)\tHEAD$/m.exec(output)?.[1];
  return { isGood: ended.code === 0, output, head, said: ended.errorOutput.trim() };
}
