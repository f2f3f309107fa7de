import { hash } from "node:crypto";
import { packet } from "../../core/kinds/git-questions.ts";
import type { Handler } from "./mirror-server.ts";

/** A repository that lists its refs, which is all that a probe reads. It has no objects. */
export interface Repository {
  readonly branch: string;
  /** The ids of its commits, the newest last. */
  readonly commits: string[];
}

/** The ids are the same on every machine. */
export function createRepositories() {
  const make = (subjects: readonly string[], branch = "main"): Repository => {
    const repository: Repository = { branch, commits: [] };
    for (const subject of subjects) addCommit(repository, subject);
    return repository;
  };
  const three = ["Commit 1", "Commit 2", "Commit 3"];
  return {
    good: make(three),
    lagging: make(three.slice(0, 2)),
    diverged: make(["Commit 1", "Commit 2", "Elsewhere 3"]),
    empty: make([]),
    otherBranch: make(three, "trunk"),
  };
}

/** Adds a commit. Repositories with equal histories get the same commit. */
export function addCommit({ commits }: Repository, subject = `Commit ${commits.length + 1}`): void {
  commits.push(hash("sha1", `${commits.at(-1)} ${subject}`));
}

/** Lists a repository's refs as `git http-backend` would (gitprotocol-http). All other requests get a 404. */
export function gitServer(repository: Repository): Handler {
  return ({ response, path }) => {
    if (path.startsWith("/info/refs?service=git-upload-pack"))
      response
        .writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" })
        .end(advertisement(repository));
    else response.writeHead(404).end();
  };
}

function advertisement({ branch, commits }: Repository): string {
  const id = commits.at(-1);
  const names = id === undefined ? ["capabilities^{}"] : ["HEAD", `refs/heads/${branch}`];
  const capabilities = `\0symref=HEAD:refs/heads/${branch}`;
  const refs = names.map((name, index) =>
    packet(`${id ?? "0".repeat(40)} ${name}${index === 0 ? capabilities : ""}\n`),
  );
  return [packet("# service=git-upload-pack\n"), "0000", ...refs, "0000"].join("");
}
