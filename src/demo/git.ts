import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { env } from "node:process";
import { promisify } from "node:util";
import { errorCode, InputError } from "../errors.ts";

const run = promisify(execFile);

/** The environment of a git that knows nothing of the user: not the configuration, not the repository it is called in. */
export const gitEnvironment: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("GIT_"))),
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_DEFAULT_HASH: "sha1",
  GIT_TERMINAL_PROMPT: "0",
};

/** Runs git with a text on its standard input and gives what it prints. Throws an InputError where git is missing. */
export async function git(parameters: readonly string[], input = ""): Promise<string> {
  try {
    const running = run("git", parameters, { env: gitEnvironment });
    const { stdin } = running.child;
    // A git that ends before it has read everything tells why by its exit code, not by its input.
    stdin?.on("error", () => stdin.destroy());
    stdin?.end(input);
    const { stdout } = await running;
    return stdout.trim();
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    throw new InputError(
      "The demo needs git, and there is none on the PATH; install it from https://git-scm.com.",
      {
        cause: error,
      },
    );
  }
}

/** Throws an InputError where git is missing, or its HTTP server, which some systems pack apart. */
export async function requireGit(): Promise<void> {
  const program = join(await git(["--exec-path"]), "git-http-backend");
  try {
    await access(program);
  } catch (error) {
    throw new InputError(
      `The demo needs git http-backend, and there is no ${program}; install the package that has it (on Alpine, git-daemon).`,
      { cause: error },
    );
  }
}
