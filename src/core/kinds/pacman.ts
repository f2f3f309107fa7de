import { hash } from "node:crypto";
import * as z from "../base/zod.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { changedAt, classifyBody, fileUrl, header, isAbsent, isGone, queryProblem } from "./mirror-files.ts";
import type { Classification, Classified, Kind, ProbeContext } from "./kind.ts";
import { contentTime } from "./mirror-content.ts";
import { firstGroup, type ListFormat } from "./file-search.ts";
import { listEndBytes, type PackageList } from "./package-list.ts";
import { mirrorStatus, pacmanList, usualDatabase } from "./pacman-lists.ts";
import { withSamples } from "./samples.ts";

type OwnCode = "not_pacman";

const options = z.object({
  database: z
    .string()
    .max(300)
    .regex(/^(?:[\w@+-][\w.@+-]*\/)*[\w@+-][\w.@+-]*\.db$/, {
      error: `must be the path of a .db file relative to the URL, such as ${usualDatabase}`,
    })
    .describe(
      `The database to compare, relative to the URL (default: ${usualDatabase}). For the URL of a single repository, set it to NAME.db.`,
    )
    .meta({ title: "path", examples: ["extra/os/x86_64/extra.db"] })
    .exactOptional(),
});

/** How far file times may differ from `lastupdate`, which sync tools write only when they are done. */
const toleranceMs = 3_600_000;

/** nginx answers 416 for an empty file. */
const emptyFile = 416;

/** The source writes `lastupdate`, and mirrors copy it. A mirror without it is judged by its database alone. */
export const pacman: Kind<OwnCode> = {
  label: "Packages for pacman (Arch Linux)",
  description: "its lastupdate must contain a time, or its database must be available.",
  codes: { not_pacman: "It did not answer like a pacman mirror." },
  options,
  content: {
    revision: {
      meaning: "the time in lastupdate, and a digest of the database's size and last bytes",
      example: "1773136800-6f1ed002ab5595859014ebf0951522d9",
    },
  },
  isProof: true,
  lists: [pacmanList, mirrorStatus],
  urlProblem: queryProblem,
  probe: async (url, given, request, context) => {
    const { database: path = usualDatabase } = options.parse(given);
    const database = fileUrl(url, path);
    const first = await request(fileUrl(url, "lastupdate"), classifyLastUpdate);
    const { code } = first.classification;
    if (code !== "ok" && code !== "not_pacman" && !isAbsent(first)) return first.classification;
    const found =
      code === "ok"
        ? judgeMirror(first, await context.tryRequest(database, classifyDatabase, tail), context)
        : judgeDatabase(await request(database, classifyDatabase, tail), context);
    const [, , digest = ""] = partsOf(found.revision);
    const isRight = ({ end, size }: PackageList) => digestOf(end, size) === digest;
    return withSamples(url, found, context, { path, format: databaseFormat, isRight, isBeside: true });
  },
};

const classifyLastUpdate = classifyBody<OwnCode>(({ body }) => {
  const [, seconds] = /^\s*(\d{1,12})\s*$/.exec(body.toString("utf8", 0, 100)) ?? [];
  return seconds === undefined ? { code: "not_pacman" } : { code: "ok", revision: String(Number(seconds)) };
});

function judgeMirror(
  first: Classified<OwnCode>,
  second: Classified<OwnCode> | undefined,
  { isPrimary, reference, now }: ProbeContext,
): Classification<OwnCode> {
  const { revision: seconds = "" } = first.classification;
  const updatedAt = 1000 * Number(seconds);
  const reachable = { code: "ok", content_at: contentTime(updatedAt, now) } as const;
  if (second === undefined) return reachable;
  const { code, revision: digest } = second.classification;
  if (code === "not_pacman" || isGone(second) || second.answer.status === emptyFile)
    return { code: "ok", content_code: "half_synced" };
  if (code !== "ok" || digest === undefined) return reachable;
  const revision = `${seconds}-${digest}`;
  // The source may change a database before it writes `lastupdate`.
  if (isPrimary) return { ...reachable, revision };
  const [known = "", knownSeconds, knownDigest] = partsOf(reference?.revision);
  if (knownDigest === digest && (knownSeconds ?? seconds) === seconds)
    return { ...reachable, revision: known };
  // A server's file times can be trusted only if it preserved the time of `lastupdate`.
  const stampedAt = changedAt(first.answer) ?? NaN;
  const isTimed = Math.abs(stampedAt - updatedAt) <= toleranceMs;
  const databaseAt = isTimed ? changedAt(second.answer) : undefined;
  if ((databaseAt ?? 0) > updatedAt + toleranceMs)
    return { ...reachable, revision, content_code: "half_synced" };
  if (knownSeconds === seconds)
    return { code: "ok", revision, content_at: contentTime(databaseAt, now), content_code: "half_synced" };
  return { ...reachable, revision };
}

/** If the reference has the same database and `lastupdate`, then `lastupdate` is all that the mirror lacks. */
function judgeDatabase(
  { answer, classification }: Classified<OwnCode>,
  { reference, now }: ProbeContext,
): Classification<OwnCode> {
  if (classification.code !== "ok") return classification;
  const found = { ...classification, content_at: contentTime(changedAt(answer), now) };
  const [known = "", knownSeconds, knownDigest] = partsOf(reference?.revision);
  const isSame = knownSeconds !== undefined && knownDigest === classification.revision;
  return isSame ? { ...found, revision: known, content_code: "missing_file" } : found;
}

/** Returns the whole revision, its time from `lastupdate` (undefined without it) and its digest. */
function partsOf(revision = ""): readonly (string | undefined)[] {
  return /^(?:(\d+)-)?(\w+)$/.exec(revision) ?? [];
}

/** Any change to a package changes the database's size or end, because gzip ends with a checksum of all the data. */
const tailBytes = listEndBytes;

/** Limits what is read from a server that ignores ranges and sends the whole database. */
const maxBytes = 512 * 1024;

const tail = { headers: ["range", `bytes=-${tailBytes}`], maxBytes };

/** Gives no revision if the server ignores ranges and the database is longer than `maxBytes`. */
const classifyDatabase = classifyBody<OwnCode>((answer) => {
  if (!isBinary(answer.body)) return { code: "not_pacman" };
  const size = sizeOf(answer);
  return size === undefined ? { code: "ok" } : { code: "ok", revision: digestOf(answer.body, size) };
});

function digestOf(end: Buffer, size: number): string {
  return hash("sha256", Buffer.concat([Buffer.from(`${size} `), end.subarray(-tailBytes)])).slice(0, 32);
}

/** In the tar archive, the header before each file is padded with NULs. */
const databaseFormat: ListFormat = {
  separator: "\0%FILENAME%\n",
  path: firstGroup(/^\0%FILENAME%\n([^/\n]+)\n/),
  size: firstGroup(/\n%CSIZE%\n(\d{1,15})\n/),
};

function sizeOf(answer: HttpResponse): number | undefined {
  if (answer.status !== 206) return answer.complete ? answer.body.length : undefined;
  const [, last = "", size = ""] =
    /^bytes \d+-(\d+)\/(\d+)$/.exec(header(answer, "content-range") ?? "") ?? [];
  return answer.complete && size !== "" && Number(last) + 1 === Number(size) ? Number(size) : undefined;
}

/** Compressed data contains many bytes below 9 (a tab), about one in 30. HTML pages contain none. */
function isBinary(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 9);
}
