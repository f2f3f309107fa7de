import { readFileSync } from "node:fs";
import { join } from "node:path";
import { git } from "./git.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Maps full ref names to commits, by their number in the graph. */
export type GraphRefs = Readonly<Record<string, number>>;

/** A bare repository, and its commits' ids in the order of the graph. */
export type Graph = Awaited<ReturnType<typeof makeGraph>>;

/**
 * Makes a bare repository with a commit for each list of parents, which are numbers of earlier commits. Equal graphs have
 * equal ids, so several repositories can have parts of one history. HEAD names `refs/heads/main`.
 */
export async function makeGraph(
  parents: readonly (readonly number[])[],
  refs: GraphRefs,
  ...options: readonly string[]
) {
  const below = temporaryFolder();
  const folder = join(below, "r.git");
  await git(["init", "--quiet", "--bare", "--template=", ...options, folder]);
  const marks = join(below, "marks");
  const input = parents.map(([first, ...merged], index) => {
    const time = `Lab <lab@example.org> ${1_700_000_000 + index} +0000`;
    const text = `Commit ${index}\n`;
    return [
      // A commit without parents starts a new history.
      ...(first === undefined ? ["reset refs/graph/all"] : []),
      ...["commit refs/graph/all", `mark :${index + 1}`, `author ${time}`, `committer ${time}`],
      `data ${text.length}\n${text}`,
      ...(first === undefined ? [] : [`from :${first + 1}`]),
      ...merged.map((parent) => `merge :${parent + 1}`),
      `M 100644 inline file\ndata ${text.length}\n${text}\n`,
    ].join("\n");
  });
  await git(["-C", folder, "fast-import", "--quiet", "--force", `--export-marks=${marks}`], input.join(""));
  const byMark = new Map(
    readFileSync(marks, "utf8")
      .split("\n")
      .map((text) => text.split(" "))
      .map(([mark, id = ""]) => [mark, id]),
  );
  const ids = parents.map((_, index) => byMark.get(`:${index + 1}`) ?? "");
  const lines = Object.entries(refs).map(([name, number]) => `update ${name} ${ids[number] ?? ""}\n`);
  await git(["-C", folder, "update-ref", "--stdin"], lines.join(""));
  await git(["-C", folder, "update-ref", "-d", "refs/graph/all"]);
  await git(["-C", folder, "symbolic-ref", "HEAD", "refs/heads/main"]);
  return { folder, ids };
}

/** A history of single parents. */
export function line(length: number): number[][] {
  return Array.from({ length }, (_, index) => (index === 0 ? [] : [index - 1]));
}
