import { isoTimestamp, timestampIfAny } from "../base/text/timestamp.ts";
import type { State } from "../state/state-schema.ts";

/** The content that a target's nodes are compared with. */
export type TargetReference = NonNullable<ReturnType<typeof referenceAt>>;

/** A tag that the reference moved or removed. Object ids are cut to 10 digits. */
export type RewrittenTag = TargetReference["rewritten"][number];

/** Returns the current reference of a target. Its former contents and rewritten tags are newest first. */
export function referenceAt(state: State | undefined, place: string) {
  const { branch, versions, refs, rewritten = [] } = state?.references[place] ?? {};
  const newest = versions?.at(-1);
  if (versions === undefined || newest === undefined) return undefined;
  const { value, since, date, index } = newest;
  const former = versions.slice(0, -1).flatMap(({ date: madeAt, index: described }, position) => {
    const until = isoTimestamp(versions[position + 1]?.since ?? since);
    return described ? [{ until, content_at: timestampIfAny(madeAt), index: described }] : [];
  });
  return {
    revision: value,
    branch: branch || undefined,
    since: isoTimestamp(since),
    date,
    content_at: timestampIfAny(date),
    refs: refs && Object.keys(refs).length,
    rewritten: rewritten
      .map(([at, tag, from, to]) => ({ at: isoTimestamp(at), tag, from, to: to || undefined }))
      .reverse(),
    index,
    former: former.reverse(),
  };
}
