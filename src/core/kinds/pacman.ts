import { hash } from "node:crypto";
import * as z from "../base/zod.ts";
import type { HttpResponse } from "../base/http/response.ts";
import { changedAt, classifyWhole, fileUrl, header, isAbsent, isGone } from "./mirror-files.ts";
import { type Classification, type Classified, described, type Kind, type ProbeContext } from "./kind.ts";
import { contentTime } from "./mirror-content.ts";
import { firstGroup, listEndBytes, type ListFormat, type PackageList } from "./package-list.ts";
import { mirrorStatus, pacmanList, usualDatabase } from "./pacman-lists.ts";
import { withSamples } from "./samples.ts";

const options = z.object({
  database: described(
    z
      .string()
      .max(300)
      .regex(/^(?:[\w@+-][\w.@+-]*\/)*[\w@+-][\w.@+-]*\.db$/, {
        error: `must be the path of a .db file relative to the URL, such as ${usualDatabase}`,
      }),
    `The database to compare, relative to the URL (default: ${usualDatabase}). For the URL of a single repository, set it to NAME.db.`,
    "extra/os/x86_64/extra.db",
    "path",
  ).exactOptional(),
});

/** How far file times may differ from `lastupdate`, which sync tools write only when they are done. */
const toleranceMs = 3_600_000;

/** The source writes `lastupdate`, and mirrors copy it. A mirror without it is judged by its database alone. */
export const pacman: Kind<"not_pacman"> = {
  label: "Packages for pacman (Arch Linux)",
  description: "its lastupdate must contain a time, or its database must be available.",
  codes: { not_pacman: "It did not answer like a pacman mirror." },
  options,
  revision: {
    meaning: "the time in lastupdate, and a digest of the database's size and last bytes",
    example: "1773136800-6f1ed002ab5595859014ebf0951522d9",
  },
  isProof: true,
  lists: [pacmanList, mirrorStatus],
  probe: async (url, given, request, context) => {
    const { database: path = usualDatabase } = options.parse(given);
    const database = fileUrl(url, path);
    const first = await request(fileUrl(url, "lastupdate"), classifyWhole);
    if (first.code !== "ok" && !isAbsent(first)) return { code: first.code };
    const seconds = first.code === "ok" ? secondsIn(first.answer) : undefined;
    const found =
      seconds === undefined
        ? judgeDatabase(await request(database, classifyWhole, tail), context)
        : judgeMirror(seconds, first, await context.tryRequest(database, classifyWhole, tail), context);
    const isRight = ({ end, size }: PackageList) => found.revision?.endsWith(digestOf(end, size)) === true;
    return withSamples(url, found, context, { path, format: databaseFormat, isRight, isBeside: true });
  },
};

function secondsIn({ body }: HttpResponse): string | undefined {
  const [, seconds] = /^\s*(\d{1,12})\s*$/.exec(body.toString("utf8", 0, 100)) ?? [];
  return seconds && String(Number(seconds));
}

function judgeMirror(
  seconds: string,
  first: Classified,
  second: Classified | undefined,
  { isPrimary, reference, now }: ProbeContext,
): Classification {
  const updatedAt = 1000 * Number(seconds);
  const reachable = { code: "ok", content_at: contentTime(updatedAt, now) } as const;
  if (second === undefined) return reachable;
  const { answer, code } = second;
  const isOther = code === "ok" && !isBinary(answer.body);
  // nginx answers 416 for an empty file.
  if (isOther || isGone(second) || answer.status === 416) return { code: "ok", content_code: "half_synced" };
  const digest = code === "ok" ? digestIn(answer) : undefined;
  if (digest === undefined) return reachable;
  const revision = `${seconds}-${digest}`;
  // The source may change a database before it writes `lastupdate`.
  if (isPrimary) return { ...reachable, revision };
  const [known = "", knownSeconds, knownDigest] = partsOf(reference?.revision);
  if (knownDigest === digest && (knownSeconds ?? seconds) === seconds)
    return { ...reachable, revision: known };
  // A server's file times can be trusted only if it preserved the time of `lastupdate`.
  const stampedAt = changedAt(first.answer) ?? NaN;
  const isTimed = Math.abs(stampedAt - updatedAt) <= toleranceMs;
  const databaseAt = isTimed ? changedAt(answer) : undefined;
  if ((databaseAt ?? 0) > updatedAt + toleranceMs)
    return { ...reachable, revision, content_code: "half_synced" };
  if (knownSeconds === seconds)
    return { code: "ok", revision, content_at: contentTime(databaseAt, now), content_code: "half_synced" };
  return { ...reachable, revision };
}

/** If the reference has the same database and `lastupdate`, then `lastupdate` is all that the mirror lacks. */
function judgeDatabase(
  { answer, code }: Classified,
  { reference, now }: ProbeContext,
): Classification<"not_pacman"> {
  if (code !== "ok") return { code };
  if (!isBinary(answer.body)) return { code: "not_pacman" };
  const revision = digestIn(answer);
  const found = { code, revision, content_at: contentTime(changedAt(answer), now) };
  const [known = "", knownSeconds, knownDigest] = partsOf(reference?.revision);
  const isSame = knownSeconds !== undefined && knownDigest === revision;
  return isSame ? { ...found, revision: known, content_code: "missing_file" } : found;
}

/** Returns the whole revision, its time from `lastupdate` (undefined without it) and its digest. */
function partsOf(revision = ""): readonly (string | undefined)[] {
  return /^(?:(\d+)-)?(\w+)$/.exec(revision) ?? [];
}

/** The limit is for servers that ignore ranges and send the whole database. */
const tail = { headers: ["range", `bytes=-${listEndBytes}`], maxBytes: 512 * 1024 };

/** Returns undefined if the server ignores ranges and the database is too long. */
function digestIn(answer: HttpResponse): string | undefined {
  const { status, complete, body } = answer;
  if (!complete) return undefined;
  if (status !== 206) return digestOf(body, body.length);
  const range = /^bytes \d+-(\d+)\/(\d+)$/.exec(header(answer, "content-range") ?? "") ?? [];
  const [, last = NaN, size = NaN] = range.map(Number);
  return last + 1 === size ? digestOf(body, size) : undefined;
}

/** Any change to a package changes the database's size or end, because gzip ends with a checksum of all the data. */
function digestOf(end: Buffer, size: number): string {
  return hash("sha256", Buffer.concat([Buffer.from(`${size} `), end.subarray(-listEndBytes)])).slice(0, 32);
}

/** In the tar archive, the header before each file is padded with NULs. */
const databaseFormat: ListFormat = {
  separator: "\0%FILENAME%\n",
  path: firstGroup(/^\0%FILENAME%\n([^/\n]+)\n/),
  size: firstGroup(/\n%CSIZE%\n(\d{1,15})\n/),
};

/** Compressed data contains many bytes below 9 (a tab), about one in 30. HTML pages contain none. */
function isBinary(bytes: Buffer): boolean {
  return bytes.some((byte) => byte < 9);
}
