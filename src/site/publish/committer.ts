import type { Git } from "../../git.ts";

/** Who makes the commits where git knows of nobody, as in CI. */
const nobody = { name: "mirrorfeed", email: "mirrorfeed@localhost" };

/** Who commits, by the configuration that git has in a folder; GIT_AUTHOR_NAME and the like come before that. */
export async function userOf(git: Git, folder: string): Promise<{ name: string; email: string }> {
  const configured = async (key: string): Promise<string | undefined> => {
    const { code, output } = await git(["config", "--get", key], { folder });
    const value = output.toString().trim();
    return code === 0 && value !== "" ? value : undefined;
  };
  return {
    name: (await configured("user.name")) ?? nobody.name,
    email: (await configured("user.email")) ?? nobody.email,
  };
}
