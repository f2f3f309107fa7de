import * as z from "zod";
import { hasQuery } from "../base/text/url.ts";
import { classifyBody } from "./classification.ts";
import { contentTime } from "./content-time.ts";
import type { Classification, Classified, Kind, ProbeContext } from "./kind.ts";
import { fileUrl } from "./mirror-file.ts";
import { changedAt, classifyDatabase, samplePackages, tail } from "./pacman-database.ts";
import { pacmanList } from "./pacman-list.ts";
import { missingFile, readList, sampledIndex } from "./samples.ts";

type OwnCode = "not_pacman";

const usualDatabase = "core/os/x86_64/core.db";

const options = z.object({
  database: z
    .string()
    .max(300)
    .regex(/^(?:[\w@+-][\w.@+-]*\/)*[\w@+-][\w.@+-]*\.db$/, {
      error: `must be the path of a .db file relative to the URL, such as ${usualDatabase}`,
    })
    .describe(
      `The database that is compared, relative to the URL (default: ${usualDatabase}). For the URL of a single repository, it is NAME.db.`,
    )
    .meta({ title: "path", examples: ["extra/os/x86_64/extra.db"] })
    .exactOptional(),
});

/** How much later than `lastupdate` a database may be: tools write `lastupdate` when they are done. */
const toleranceMs = 3_600_000;

/** The statuses of a file that is not there. Buckets without the right to list them answer 403. */
const absent: ReadonlySet<number> = new Set([403, 404, 410]);
/** The same of a file that must be there, and where 403 may have other reasons. nginx answers 416 for an empty file. */
const gone: ReadonlySet<number> = new Set([404, 410, 416]);

/**
 * A mirror of an Arch-like distribution, or a single repository. `lastupdate` says when the content was made: the source
 * writes it, and mirrors copy it. What has none is judged by its database alone.
 */
export const pacman: Kind<OwnCode> = {
  description: "its lastupdate must hold a time, or its database must answer.",
  codes: { not_pacman: "Its answer is not that of a mirror for pacman." },
  options,
  content: {
    revision: {
      meaning: "the time in lastupdate, and a digest of the size and the end of the database",
      example: "1773136800-6f1ed002ab5595859014ebf0951522d9",
    },
  },
  isProof: true,
  lists: [pacmanList],
  urlProblem: (url) =>
    hasQuery(url) ? "a mirror for pacman has no query; remove it from the ? on" : undefined,
  probe: async (url, given, request, context) => {
    const { database: path = usualDatabase } = options.parse(given);
    const database = fileUrl(url, path);
    const first = await request(fileUrl(url, "lastupdate"), classifyLastUpdate);
    if (first.classification.code === "ok") {
      const second = await context.tryRequest(database, classifyDatabase, tail);
      return withSamples(judgeMirror(first, second, context), url, path, context);
    }
    if (first.classification.code !== "not_pacman" && !absent.has(first.answer.status))
      return first.classification;
    const found = await request(database, classifyDatabase, tail);
    return withSamples(judgeDatabase(found, context), url, path, context);
  },
};

/** Classifies the answer to a request for `lastupdate`. The revision is its number. */
const classifyLastUpdate = classifyBody<OwnCode>(({ body }) => {
  const [, seconds] = /^\s*(\d{1,12})\s*$/.exec(body.toString("utf8", 0, 100)) ?? [];
  return seconds === undefined ? { code: "not_pacman" } : { code: "ok", revision: String(Number(seconds)) };
});

/** Judges a mirror by its `lastupdate` and its database, if that answered. */
function judgeMirror(
  first: Classified<OwnCode>,
  second: Classified<OwnCode> | undefined,
  { isPrimary, reference, now }: ProbeContext,
): Classification<OwnCode> {
  const { revision: seconds = "" } = first.classification;
  const updatedAt = 1000 * Number(seconds);
  const reachable = { code: "ok", ...dated(updatedAt, now) } as const;
  if (second === undefined) return reachable;
  const { code, revision: digest } = second.classification;
  if (code === "not_pacman" || gone.has(second.answer.status))
    return { code: "ok", content_code: "half_synced" };
  if (code !== "ok" || digest === undefined) return reachable;
  const revision = `${seconds}-${digest}`;
  // The source may change a database before it writes `lastupdate`.
  if (isPrimary) return { ...reachable, revision };
  const [known = "", knownSeconds, knownDigest] = partsOf(reference?.revision);
  if (knownDigest === digest && (knownSeconds ?? seconds) === seconds)
    return { ...reachable, revision: known };
  // The times of files mean something if the server keeps that of `lastupdate`.
  const stampedAt = changedAt(first.answer) ?? NaN;
  const isTimed = Math.abs(stampedAt - updatedAt) <= toleranceMs;
  const databaseAt = isTimed ? changedAt(second.answer) : undefined;
  if ((databaseAt ?? 0) > updatedAt + toleranceMs)
    return { ...reachable, revision, content_code: "half_synced" };
  if (knownSeconds === seconds)
    return { code: "ok", revision, ...dated(databaseAt, now), content_code: "half_synced" };
  return { ...reachable, revision };
}

/** Judges a mirror without `lastupdate`. If the reference has one and the same database, the mirror lacks that file. */
function judgeDatabase(
  { answer, classification }: Classified<OwnCode>,
  { reference, now }: ProbeContext,
): Classification<OwnCode> {
  if (classification.code !== "ok") return classification;
  const found = { ...classification, ...dated(changedAt(answer), now) };
  const [known = "", knownSeconds, knownDigest] = partsOf(reference?.revision);
  const isSame = knownSeconds !== undefined && knownDigest === classification.revision;
  return isSame ? { ...found, revision: known, content_code: "missing_file" } : found;
}

/** Adds what a sample of the packages says of a mirror whose database is right, and of a primary its samples. */
async function withSamples(
  found: Classification<OwnCode>,
  url: string,
  database: string,
  context: ProbeContext,
): Promise<Classification<OwnCode>> {
  const { revision, content_code } = found;
  if (revision === undefined) return found;
  const index = await sampledIndex(revision, context, async () => {
    const body = await readList(fileUrl(url, database), context.tryRequest);
    return body && samplePackages(body, database, partsOf(revision)[2] ?? "");
  });
  const files = content_code === undefined ? (index?.files ?? []) : [];
  const isMissing = (await missingFile(url, files, context)) !== undefined;
  return {
    ...found,
    ...(isMissing && { content_code: "missing_file" }),
    ...(context.isPrimary && index !== undefined && { index }),
  };
}

/** Returns a revision, its time if it has one, and its digest. */
function partsOf(revision = ""): readonly (string | undefined)[] {
  return /^(?:(\d+)-)?(\w+)$/.exec(revision) ?? [];
}

function dated(ms: number | undefined, now: number): Pick<Classification, "content_at"> {
  const content_at = contentTime(ms, now);
  return content_at === undefined ? {} : { content_at };
}
