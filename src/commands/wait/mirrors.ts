import { InputError } from "../../base/errors.ts";
import { OutOfDescriptors, Stalled } from "../../base/http/failure.ts";
import type { CommandContext } from "../../base/terminal/context.ts";
import { closestName } from "../../base/text/name.ts";
import { printable, quote } from "../../base/text/quote.ts";
import { parseTimestamp } from "../../base/text/timestamp.ts";
import { listNodes, type Node } from "../../config/nodes.ts";
import type { Config } from "../../config/schema.ts";
import { header } from "../../kinds/classification.ts";
import type { Kind, RequestUrl } from "../../kinds/kind.ts";
import { sentenceOf } from "../../kinds/kinds.ts";
import { observe, type ObserveOptions } from "../../run/observe.ts";
import { offlineSentence } from "../../run/offline-sentence.ts";
import { maintenanceReason } from "../../state/maintenance.ts";
import { isOnline } from "../../state/online.ts";
import { mergeResults } from "../../state/round.ts";
import type { Answers } from "./gate.ts";
import { releaseCheck } from "./release-check.ts";
import type { Look, Problem, Source, Wanted } from "./source.ts";

/** What a mirror last showed: the revision, object or file that it has, or what is wrong. */
interface Seen {
  readonly at: number;
  readonly found: string | Problem;
}

/** How many files are downloaded at once, each from another host. */
const maxDownloads = 4;

/** Returns the mirrors of a target as a source that probes them. Throws InputError if they cannot tell what is wanted. */
export function openMirrors(
  config: Config,
  place: string,
  wanted: Wanted,
  { endsAt, ...options }: Pick<ObserveOptions, "allowPrivate" | "dns"> & { readonly endsAt: number },
  context: CommandContext,
): Source {
  const { now } = context;
  const nodes = nodesOf(config, place);
  const check = releaseCheck(wanted, nodes, endsAt, now);
  // The others are compared with it, and its branches move.
  const reference = wanted.ref === undefined ? undefined : nodes.find(({ primary }) => primary);
  const seen = new Map<number, Seen>();
  const retryAt = new Map<string, number>();
  let log = context.log;

  const probe = async (asked: readonly Node[]) => {
    const isDownload = check.isDownload(asked);
    const limits = isDownload ? { perHost: 1, concurrency: maxDownloads } : {};
    const results = await observe(
      { ...config, probe: { ...config.probe, ...limits } },
      asked.map(check.prepare),
      { ...options, isDownload, wrapProbe: (own) => noteRetries(check.wrapProbe(own), retryAt, now) },
      { ...context, log },
    );
    // Each round would repeat the warnings.
    log = () => undefined;
    return mergeResults([results]);
  };

  const maintenance = (node: Node): string | undefined => maintenanceReason(config.maintenance, node, now());

  const answers = (): Answers => {
    const primary = reference && seen.get(reference.id)?.found;
    const ofPrimary = typeof primary === "string" ? primary : undefined;
    const expected = wanted.revision ?? (reference === undefined ? mostCommon(seen) : ofPrimary);
    return new Map(
      nodes.map((node) => {
        const { at, found } = seen.get(node.id) ?? { at: 0, found: unobserved };
        const problem = problemOf(found, expected, maintenance(node));
        return [node.id, { url: node.url, at, has: problem === undefined, ...problem }];
      }),
    );
  };

  const look = async (ids: readonly number[]): Promise<Look> => {
    const allowed = nodes.filter(
      (node) => maintenance(node) === undefined && (retryAt.get(node.url) ?? 0) <= now(),
    );
    let asked = allowed.filter((node) => node === reference || ids.includes(node.id));
    if (asked.length === 0) return { answers: answers() };
    let round = await probe(asked);
    const isOffline = (): boolean =>
      !round.vantages.some((vantage) => isOnline(asked.map(check.prepare), vantage));
    if (isOffline() && asked.length < allowed.length) {
      // Perhaps it is only the mirrors that lack it. Then the others prove that this machine is online.
      asked = allowed;
      round = await probe(asked);
    }
    if (isOffline()) return { failure: { code: 3, sentence: offlineSentence(asked, round) } };
    for (const { id } of asked) {
      const [observation] = round.vantages.flatMap(({ observations }) => observations.get(id) ?? []);
      const { code = "", refs = "" } = observation ?? {};
      const found = observation && check.read(observation, round.refs?.get(refs));
      const failed = { code, sentence: sentenceOf(code, observation) };
      seen.set(id, { at: now(), found: found ?? (observation ? failed : unobserved) });
    }
    return { answers: answers() };
  };

  return { answers: answers(), firstPauseMs: 30_000, look: (ids) => look(ids).catch(asFailure) };
}

/** A machine that was suspended or overloaded in one round may do better in the next. */
function asFailure(error: unknown): Look {
  if (!(error instanceof Stalled || error instanceof OutOfDescriptors)) throw error;
  return { failure: { code: 3, sentence: error.message } };
}

/** Throws InputError if there is no such target. */
function nodesOf(config: Config, place: string): Node[] {
  const all = listNodes(config);
  const nodes = all.filter((node) => node.place === place);
  if (nodes.length > 0) return nodes;
  const places = all.map((node) => node.place);
  const meant = closestName(place, places);
  const remedy = meant === undefined ? "name one of its targets." : `did you mean ${meant}?`;
  throw new InputError(`mirrors.json has no mirrors of ${quote(place)}; ${remedy}`);
}

/** Notes until when a server wants to be left alone (RFC 9110, 10.2.3), by the URL of the mirror. */
function noteRetries(probe: Kind["probe"], retryAt: Map<string, number>, now: () => number): Kind["probe"] {
  return (url, options, request, context) => {
    const noting: RequestUrl = async (...asked) => {
      const found = await request(...asked);
      const value = header(found.answer, "retry-after") ?? "";
      const at = /^\d{1,9}$/.test(value) ? now() + Number(value) * 1000 : parseTimestamp(value, "http-date");
      if (found.classification.code === "rate_limited" && at !== undefined) retryAt.set(url, at);
      return found;
    };
    return probe(url, options, noting, context);
  };
}

/** Returns what most mirrors have; of several, what the first of the mirrors has. */
function mostCommon(seen: ReadonlyMap<number, Seen>): string | undefined {
  const counts = new Map<string, number>();
  for (const { found } of seen.values())
    if (typeof found === "string") counts.set(found, (counts.get(found) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left)[0]?.[0];
}

const unobserved: Problem = { code: "unobserved", sentence: "It was not observed." };

function problemOf(
  found: Seen["found"],
  expected: string | undefined,
  maintenance: string | undefined,
): Problem | undefined {
  if (maintenance !== undefined)
    return { code: "maintenance", sentence: `It is in maintenance (${printable(maintenance)}).` };
  if (typeof found !== "string") return found;
  if (expected === undefined) return { code: "no_reference", sentence: "The primary does not show it." };
  if (found.startsWith(expected)) return undefined;
  return {
    code: "different",
    sentence: `It has ${found.slice(0, 12)} instead of ${expected.slice(0, 12)}.`,
  };
}
