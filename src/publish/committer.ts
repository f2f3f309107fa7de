import type { Git } from "../base/git/git.ts";

/** The committer if Git knows none, as in CI. */
const unknownCommitter = { name: "mirrorfeed", email: "mirrorfeed@localhost" };

/** Returns the committer that Git is configured for in a folder. GIT_AUTHOR_NAME and the like override it. */
export async function userOf(git: Git, folder: string): Promise<{ name: string; email: string }> {
  const { output } = await git(["config", "--null", "--get-regexp", String.raw`^user\.(name|email)$`], {
    folder,
  });
  // Each entry is a key, a line feed and a value, or a key alone. The last value of a key counts.
  const entries = output.toString().split("\0");
  const configured = new Map(
    entries.map((entry) => {
      const [key, ...lines] = entry.split("\n");
      return [key, lines.join("\n").trim()];
    }),
  );
  const valueOf = (part: "name" | "email"): string => {
    const value = configured.get(`user.${part}`) ?? "";
    return value === "" ? unknownCommitter[part] : value;
  };
  return { name: valueOf("name"), email: valueOf("email") };
}
