import { quote } from "../quote.ts";
import { type Git, textOf } from "./git.ts";
import { readRemote, type Remote } from "../git-remote.ts";

/** Who makes the commits where git knows of nobody, as in CI. */
const nobody = { name: "mirrorfeed", email: "mirrorfeed@localhost" };

/** Where the repository that holds a folder pushes to. Throws InputError where there is none, or it has no `origin`. */
export async function originOf(git: Git, folder: string): Promise<Remote> {
  const failure = `Name a remote with --remote, since the folder ${quote(folder)} leads to none`;
  const base = textOf(await git("-C", folder, "rev-parse", "--show-toplevel"), failure);
  const address = textOf(await git("-C", folder, "remote", "get-url", "--push", "origin"), failure);
  return readRemote(address, base);
}

/** Who commits, by the configuration that git has in a folder; GIT_AUTHOR_NAME and the like come before that. */
export async function userOf(git: Git, folder: string): Promise<{ name: string; email: string }> {
  const configured = async (key: string): Promise<string | undefined> => {
    const { code, output } = await git("-C", folder, "config", "--get", key);
    const value = output.toString().trim();
    return code === 0 && value !== "" ? value : undefined;
  };
  return {
    name: (await configured("user.name")) ?? nobody.name,
    email: (await configured("user.email")) ?? nobody.email,
  };
}
