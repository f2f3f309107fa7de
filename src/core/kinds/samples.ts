import {
  type Digest,
  type ListFormat,
  maxListBytes,
  type PackageList,
  scanList,
  spreadSamples,
} from "./package-list.ts";
import type { Classification, ProbeContext, TryRequest } from "./kind.ts";
import { maxSamples, type SampleFile } from "./mirror-content.ts";
import { classifyWhole, fileUrl, findFileProblem } from "./mirror-files.ts";

/** The list that a revision's sample packages come from. Without one, there are no samples. */
export interface SampleList {
  /** Relative to the mirror's URL. */
  readonly path: string;
  readonly format: ListFormat;
  /** Whether this is the list that the revision names. */
  readonly isRight: (list: PackageList) => boolean;
  /** The algorithm of the digest that `isRight` gets (default: sha256). */
  readonly algorithm?: Digest | undefined;
  /** Whether the paths in the list are relative to its folder, not to the mirror's URL. */
  readonly isBeside?: boolean;
}

/** Adds the first problem in the samples. The primary's list is read for each revision, and once all were checked. */
export async function withSamples<OwnCode extends string>(
  url: string,
  found: Classification<OwnCode>,
  context: ProbeContext,
  list: SampleList | undefined,
): Promise<Classification<OwnCode>> {
  const { revision } = found;
  const { isPrimary, reference, lastRevision } = context;
  if (revision === undefined) return found;
  let index = reference?.revision === revision ? (reference.index ?? {}) : undefined;
  if (isPrimary) {
    const turn = (reference?.index?.turn ?? -1) + 1;
    // Fewer samples than the maximum are the whole list.
    const isUsedUp = turn % maxSamples === 0 && (index?.files?.length ?? maxSamples) === maxSamples;
    const isDue = index === undefined || isUsedUp;
    const next = isDue ? await readSamples(url, list, turn, context.tryRequest) : undefined;
    const files = next ?? index?.files;
    index = { ...(files && { files }), turn };
  }
  const { files = [], turn = 0 } = index ?? {};
  const lastProblem = lastRevision === revision && index !== undefined ? context.lastProblem : undefined;
  const problem = found.content_code
    ? undefined
    : await findFileProblem(url, files, { ...context, turn, lastProblem });
  return {
    ...found,
    content_code: problem?.code ?? found.content_code,
    content_file: problem?.file,
    index: isPrimary ? index : undefined,
  };
}

/** Returns the packages to check in the 16 runs from `turn`. Only a list that is read to its end can be wrong. */
async function readSamples(
  url: string,
  list: SampleList | undefined,
  turn: number,
  tryRequest: TryRequest,
): Promise<readonly SampleFile[] | undefined> {
  if (list === undefined) return [];
  const { path, format, isRight, algorithm, isBeside = false } = list;
  const window = Math.floor(turn / maxSamples);
  let read: PackageList | undefined;
  const found = await tryRequest(fileUrl(url, path), classifyWhole, {
    maxBytes: maxListBytes,
    readBody: async (chunks, signal) => {
      read = await scanList(chunks, format, signal, { window, algorithm });
    },
  });
  if (found?.code !== "ok" || read === undefined) return undefined;
  if (found.answer.complete && !isRight(read)) return undefined;
  const folder = isBeside ? path.slice(0, path.lastIndexOf("/") + 1) : "";
  return spreadSamples(
    read.files.map((file) => ({ ...file, path: `${folder}${file.path}` })),
    Math.floor(window / read.step),
  );
}
