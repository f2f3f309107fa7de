import { unknown, type Level, Unanswered } from "./outcome.ts";
import { type FeedOptions, urlPattern } from "./question.ts";
import { type Answer, type Fields, fieldsOf } from "./request.ts";

/** Best first: one that is behind was right once, one that differs never was, and of the last ones nobody knows. */
export const freshnesses = ["in_sync", "behind", "differs", "unknown"] as const;

/** How the revision of a mirror stands to the one the mirrors are held against; differs: ahead or diverged. */
export type Freshness = (typeof freshnesses)[number];

/** A mirror as the feed shows it; what its report tells is there where it was asked for and told. */
export interface Mirror {
  readonly id: number;
  /** A label, as it came: not safe to print or to show as HTML. */
  readonly name: string;
  /** http or https, without credentials, and of no other characters than a url has. */
  readonly url: string;
  /** 1: online, reachable. 0: offline, unreachable. */
  readonly status: 0 | 1;
  readonly freshness?: Freshness;
  /** How long the feed's prober waited for its answer, in milliseconds. */
  readonly latency_ms?: number;
  /** Whether it is the one that the others are mirrors of. */
  readonly primary?: true;
  /** Whether it is in maintenance now, as was announced: its status is that of before. */
  readonly maintenance?: true;
}

/** When the newest run ended, and until when the feed holds, as ISO moments in UTC. */
export interface Moments {
  readonly generated_at: string;
  readonly expires_at: string;
}

/** What the documents beside the contract tell of a mirror, by its id. */
export type Told = ReadonlyMap<unknown, Partial<Mirror>>;

/** A heartbeat that holds. */
export interface Heartbeat {
  readonly moments: Moments;
  readonly told: Told;
}

/**
 * The mirrors of system/project/target, or undefined where the answer is not of the contract. Throws Unanswered where
 * the feed says that it has no such target.
 */
export function readTarget(answer: Answer, path: string): Mirror[] | undefined {
  const { status, document } = answer;
  if (status !== 200) refuse(answer);
  else if (isOf(path, document) && !("error" in document)) return readList(document["network"], readMirror);
  return undefined;
}

/**
 * The heartbeat, or undefined where the document is none and none is needed. Throws Unanswered where it cannot be read,
 * and where the statuses of the feed prove nothing now.
 */
export function readHeartbeat(
  { generated_at, expires_at, prober, nodes }: Fields,
  { now = Date.now, maxAgeMs }: FeedOptions,
): Heartbeat | undefined {
  if (expires_at === undefined) {
    if (maxAgeMs !== undefined) throw unknown("no_report");
    return undefined;
  }
  const { state } = fieldsOf(prober);
  const told = readList(
    nodes,
    ({ id, latency_ms }) => [id, typeof latency_ms === "number" ? { latency_ms } : {}] as const,
  );
  if (!told || typeof state !== "string" || !isMoment(generated_at) || !isMoment(expires_at))
    throw unknown("not_contract");
  if (now() >= Date.parse(expires_at)) throw unknown("expired");
  if (now() - Date.parse(generated_at) > (maxAgeMs ?? Infinity)) throw unknown("too_old");
  if (state !== "online") throw unknown("prober_offline");
  return { moments: { generated_at, expires_at }, told: new Map(told) };
}

/** What the report of system/project/target tells, or undefined where the document is none. */
export function readReport(document: Fields, path: string): Told | undefined {
  const told = readList(document["network"], ({ id, freshness: text, maintenance: reason }) => {
    const freshness = freshnesses.find((one) => one === text);
    const primary = id === document["primary"] && ({ primary: true } as const);
    const maintenance = reason !== undefined && ({ maintenance: true } as const);
    return freshness && ([id, { freshness, ...primary, ...maintenance }] as const);
  });
  return told && isOf(path, document) ? new Map(told) : undefined;
}

function isOf(path: string, { target }: Fields): boolean {
  return path.split("/")[2] === target;
}

/** The errors of the contract, and that of hosts which can answer nothing but 404. */
const refusals: ReadonlyMap<unknown, Level> = new Map([
  ["System not found", "system"],
  ["Project not found", "project"],
  ["Target not found", "target"],
  ["Not found", "unknown"],
]);

function refuse({ status, document: { error, message, code } }: Answer): void {
  const level = refusals.get(error ?? message);
  const isOurs = level !== "unknown" || code === 404;
  if (level && isOurs && (status === 403 || status === 404))
    throw new Unanswered({ outcome: "not_found", level });
}

function readMirror({ id, name, url, status }: Fields): Mirror | undefined {
  const isRight = typeof id === "number" && Number.isInteger(id) && typeof name === "string";
  return isRight && (status === 0 || status === 1) && isUrl(url) ? { id, name, url, status } : undefined;
}

function isUrl(value: unknown): value is string {
  return typeof value === "string" && urlPattern.test(value) && URL.canParse(value);
}

function isMoment(value: unknown): value is string {
  return typeof value === "string" && /^\d{4}-[\d-]+T[\d:.]+Z$/.test(value) && Date.parse(value) > 0;
}

/** Every element of a list, read; undefined where it is no list, or one of them is not right. */
function readList<Read>(list: unknown, read: (fields: Fields) => Read | undefined): Read[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const all = list.map((element) => read(fieldsOf(element)));
  return all.every((one) => one !== undefined) ? all : undefined;
}
