import * as z from "zod";
import { InputError } from "../base/errors.ts";
import type { Branch, Tip } from "./branch.ts";
import { type CommittedFiles, type Scratch, textOf } from "./scratch.ts";
import { tryParseJson } from "../base/text/json.ts";

/** The heartbeat of 10,000 mirrors has about 2 MB. */
const maxHeartbeatBytes = 32 * 1024 * 1024;

/**
 * Throws InputError unless the tip of a branch is a published feed and the only commit. This keeps `--branch main` from
 * deleting source code, and a publication without `--history` from deleting earlier commits. A lone commit without files
 * has nothing to lose.
 */
export async function refuseForeign(branch: Branch, tip: Tip, scratch: Scratch): Promise<void> {
  const problem = await findProblem(tip, scratch);
  if (problem === undefined) return;
  throw new InputError(
    `${branch.label} ${problem}, so nothing was published; name another branch with --branch, keep the commits of this one with --history, or delete them with --replace.`,
  );
}

async function findProblem(tip: Tip, scratch: Scratch): Promise<string | undefined> {
  if (tip.files.size === 0) return tip.hasParents ? notFeed("it holds no file") : undefined;
  if (!tip.files.has(heartbeatPath)) return notFeed(`it has no file ${heartbeatPath}`);
  const text = await textOf(scratch, tip.files, heartbeatPath, maxHeartbeatBytes);
  if (text === undefined || !isHeartbeat(text)) return notFeed(`its ${heartbeatPath} is not a heartbeat`);
  return tip.hasParents ? "keeps earlier commits" : undefined;
}

function notFeed(reason: string): string {
  return `is not a published feed (${reason})`;
}

/** Throws InputError if the site in a branch is newer than the files to publish. */
export async function refuseOlder(
  branch: Branch,
  tip: Tip,
  files: CommittedFiles,
  scratch: Scratch,
): Promise<void> {
  const published = await textOf(scratch, tip.files, heartbeatPath, maxHeartbeatBytes);
  const next = await textOf(scratch, files, heartbeatPath, maxHeartbeatBytes);
  if (published === undefined || next === undefined || !isNewer(published, next)) return;
  throw new InputError(
    `${branch.label} has a newer site, so nothing was published; run mirrorfeed run and publish again.`,
  );
}

/** The path of the document with the time of the run. */
export const heartbeatPath = "v1/report/index.json";

const heartbeat = z.looseObject({ generated_at: z.iso.datetime() });

/** The fields that every version of mirrorfeed writes, so that feeds of older and newer versions match. */
const feedHeartbeat = heartbeat.extend({ run: z.string(), nodes: z.array(z.looseObject({ id: z.int() })) });

/** Returns whether a text is a heartbeat, which only a feed has. */
export function isHeartbeat(text: string): boolean {
  return feedHeartbeat.safeParse(tryParseJson(text)).success;
}

/** Returns whether one heartbeat is newer than another. Returns false if either of them is not a heartbeat. */
export function isNewer(one: string, other: string): boolean {
  const [oneAt, otherAt] = [generatedAt(one), generatedAt(other)];
  return oneAt !== undefined && otherAt !== undefined && oneAt > otherAt;
}

function generatedAt(text: string): number | undefined {
  const { data } = heartbeat.safeParse(tryParseJson(text));
  return data && Date.parse(data.generated_at);
}
