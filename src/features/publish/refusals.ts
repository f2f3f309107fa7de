import * as z from "zod";
import { InputError } from "../../core/base/errors.ts";
import { tryParseJson } from "../../core/base/text/json.ts";
import { documentPath, reportRoot } from "../../core/contract/contract.ts";
import type { Tip } from "./publish-branch.ts";
import { type CommittedFiles, type ScratchGit, textOf } from "./scratch.ts";

const heartbeatPath = documentPath(reportRoot);

/** The heartbeat of a feed with 10,000 mirrors takes about 2 MB. */
const maxHeartbeatBytes = 32 * 1024 * 1024;

const datedSchema = z.looseObject({ generated_at: z.iso.datetime() });

/** The fields that mark a heartbeat, in every version of mirrorfeed. */
const heartbeatSchema = datedSchema.extend({
  run: z.string(),
  nodes: z.array(z.looseObject({ id: z.int() })),
});

/** Whether a text is a heartbeat, which only a feed has. */
export function isHeartbeat(text: string): boolean {
  return heartbeatSchema.safeParse(tryParseJson(text)).success;
}

/**
 * Throws InputError if publishing without `--history` or `--replace` could delete work, such as source code or earlier
 * commits: unless the branch has a single commit that is empty or contains a published feed. `label` names the branch.
 */
export async function refuseForeign(
  label: string,
  { files, hasParents }: Tip,
  git: ScratchGit,
): Promise<void> {
  const isEmpty = files.size === 0 && !hasParents;
  const isFeed = isEmpty || isHeartbeat((await textOf(git, files, heartbeatPath, maxHeartbeatBytes)) ?? "");
  if (isFeed && !hasParents) return;
  throw new InputError(
    `${label} ${isFeed ? "has earlier commits" : "is not a published feed"}, so nothing was published; use a different branch with --branch, keep this one's commits with --history, or delete them with --replace.`,
  );
}

export async function refuseOlder(
  label: string,
  published: CommittedFiles,
  next: CommittedFiles,
  git: ScratchGit,
): Promise<void> {
  const [publishedAt, nextAt] = await Promise.all([published, next].map((files) => generatedAt(files, git)));
  if (publishedAt === undefined || nextAt === undefined || publishedAt <= nextAt) return;
  throw new InputError(
    `${label} has a newer site, so nothing was published; run mirrorfeed run and publish again.`,
  );
}

async function generatedAt(files: CommittedFiles, git: ScratchGit): Promise<number | undefined> {
  const text = await textOf(git, files, heartbeatPath, maxHeartbeatBytes);
  const { data } = datedSchema.safeParse(tryParseJson(text ?? ""));
  return data && Date.parse(data.generated_at);
}
