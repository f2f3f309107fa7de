import * as z from "zod";
import { InputError } from "../../core/base/errors.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { documentPath, reportRoot } from "../../core/contract/contract.ts";
import type { Tip } from "./publish-branch.ts";
import { type CommittedFiles, type ScratchGit, textOf } from "./scratch.ts";

const heartbeatPath = documentPath(reportRoot);

/** The heartbeat of a feed with 10,000 mirrors takes about 2 MB. */
const maxHeartbeatBytes = 32 * 1024 * 1024;

/** The fields that mark a heartbeat, in every version of mirrorfeed. */
const heartbeatSchema = z.looseObject({
  run: z.string(),
  generated_at: z.iso.datetime(),
  nodes: z.array(z.looseObject({ id: z.int() })),
});

/**
 * Throws InputError if the branch has a newer site. Unless `mayReplace`, also throws if publishing could delete work,
 * such as source code or earlier commits: unless the branch has a single commit that is empty or contains a published
 * feed. `label` names the branch.
 */
export async function refuse(
  label: string,
  { files, hasParents }: Tip,
  next: CommittedFiles,
  mayReplace: boolean,
  git: ScratchGit,
): Promise<void> {
  const [publishedAt, nextAt] = await Promise.all([files, next].map((one) => generatedAt(one, git)));
  const isFeed = files.size === 0 || publishedAt !== undefined;
  if (!mayReplace && (hasParents || !isFeed))
    throw new InputError(
      `${label} ${isFeed ? "has earlier commits" : "is not a published feed"}, so nothing was published; use a different branch with --branch, keep this one's commits with --history, or delete them with --replace.`,
    );
  if (publishedAt !== undefined && nextAt !== undefined && publishedAt > nextAt)
    throw new InputError(
      `${label} has a newer site, so nothing was published; run mirrorfeed run and publish again.`,
    );
}

async function generatedAt(files: CommittedFiles, git: ScratchGit): Promise<number | undefined> {
  const text = await textOf(git, files, heartbeatPath, maxHeartbeatBytes);
  const { data } = heartbeatSchema.safeParse(tryParseJson(text ?? ""));
  return data && Date.parse(data.generated_at);
}
