import type { Git } from "../git/git.ts";

/** The committer if Git knows none, as in CI. */
const unknownCommitter = { name: "mirrorfeed", email: "mirrorfeed@localhost" };

/** Returns the committer that Git is configured for in a folder. GIT_AUTHOR_NAME and the like override it. */
export async function userOf(git: Git, folder: string): Promise<{ name: string; email: string }> {
  const configured = async (key: string): Promise<string | undefined> => {
    const { code, output } = await git(["config", "--get", key], { folder });
    const value = output.toString().trim();
    return code === 0 && value !== "" ? value : undefined;
  };
  return {
    name: (await configured("user.name")) ?? unknownCommitter.name,
    email: (await configured("user.email")) ?? unknownCommitter.email,
  };
}
