import { InputError } from "../../core/base/errors.ts";
import { OutOfDescriptors, Stalled } from "../../core/base/http/failure.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { group } from "../../core/base/text/group.ts";
import { closestName } from "../../core/base/text/name.ts";
import { printable, quote } from "../../core/base/text/quote.ts";
import { parseTimestamp } from "../../core/base/text/timestamp.ts";
import { loadConfig } from "../../core/config/load.ts";
import { listNodes, type Node } from "../../core/config/nodes.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { header } from "../../core/kinds/classification.ts";
import type { Kind, RequestUrl } from "../../core/kinds/kind.ts";
import { kinds, sentenceOf } from "../../core/kinds/kinds.ts";
import { observe, type ObserveOptions } from "../../core/probe/observe.ts";
import { offlineSentence } from "../../core/state/offline-sentence.ts";
import { maintenanceReason } from "../../core/state/maintenance.ts";
import { isOnline } from "../../core/state/online.ts";
import { mergeResults } from "../../core/state/round.ts";
import type { Answers, Look, Problem, Source } from "./gate.ts";
import { releaseCheck, type Wanted } from "./release-check.ts";

/** How many files may be downloaded at the same time, each from a different host. */
const maxDownloads = 4;

interface MirrorOptions extends Pick<ObserveOptions, "allowPrivate" | "dns"> {
  /** The path of mirrors.json. */
  readonly config: string;
}

/** Returns a source that probes a target's mirrors. Throws InputError if they can't be probed for this release. */
export async function openMirrors(
  place: string,
  wanted: Wanted,
  endsAt: number,
  { config: file, ...options }: MirrorOptions,
  context: CommandContext,
): Promise<Source> {
  const { now } = context;
  const config = await loadConfig(file);
  const nodes = nodesOf(config, place, file);
  const check = releaseCheck(wanted, nodes, endsAt, now);
  // Each round also asks the primary, even if it has the release, because the other mirrors are compared with it, and
  // its branches get new commits.
  const reference = wanted.ref === undefined ? undefined : nodes.find(({ primary }) => primary);
  /** When each mirror was last probed, and what the probe found: a revision, an object, a file or a problem. */
  const seen = new Map<Node, { readonly at: number; readonly found: string | Problem }>();
  const retryAt = new Map<string, number>();
  let log = context.log;

  const maintenance = (node: Node): string | undefined => maintenanceReason(config.maintenance, node, now());
  const isLimited = ({ url }: Node): boolean => (retryAt.get(url) ?? 0) > now();
  const answers = (): Answers => {
    const primary = reference && seen.get(reference)?.found;
    const ofPrimary = typeof primary === "string" ? primary : undefined;
    const known = [...seen.values()].flatMap(({ found }) => (typeof found === "string" ? found : []));
    const expected = wanted.revision ?? (reference === undefined ? mostCommon(known) : ofPrimary);
    return new Map(
      nodes.map((node) => {
        const { at, found } = seen.get(node) ?? { at: 0, found: unobserved };
        // The earlier answer of a rate-limited mirror does not count, because it will be out of date by the time we may
        // ask the mirror again.
        const problem = problemOf(isLimited(node) ? limited : found, expected, maintenance(node));
        return [node.id, { url: node.url, has: problem === undefined, ...problem, at }];
      }),
    );
  };

  /** Probes mirrors and stores the results in `seen`. Returns a sentence if this machine is offline. */
  const probe = async (asked: readonly Node[]): Promise<string | undefined> => {
    const prepared = asked.map((node) => {
      const settings = { ...node.settings, ...check.settingsOf?.(node) };
      const probe = noteRetries(settings.probe ?? kinds[settings.kind].probe, retryAt, now);
      return { ...node, settings: { ...settings, probe } };
    });
    const isDownload = prepared.some(({ settings }) => settings.isDownload);
    const limits = isDownload ? { perHost: 1, concurrency: maxDownloads } : {};
    const results = await observe({ ...config, probe: { ...config.probe, ...limits } }, prepared, options, {
      ...context,
      log,
    });
    // Log the warnings only once: later rounds would repeat them.
    log = () => undefined;
    const round = mergeResults([results]);
    if (!round.vantages.some((vantage) => isOnline(prepared, vantage))) return offlineSentence(asked, round);
    for (const node of asked) {
      const observation = results.observations.find(({ id }) => id === node.id);
      const { code = "", refs = "" } = observation ?? {};
      const found = observation && check.read(observation, round.refs?.get(refs));
      const failed = observation ? { code, sentence: sentenceOf(code, observation) } : unobserved;
      const before = seen.get(node)?.found;
      // If our own deadline ended the probe, keep the problem that an earlier probe found, because it says more about
      // the mirror.
      const isCutOff = code === "timeout" && now() > endsAt && typeof before === "object";
      seen.set(node, { at: now(), found: isCutOff ? before : (found ?? failed) });
    }
    return undefined;
  };

  const look = async (ids: readonly number[]): Promise<Look> => {
    const isAllowed = (node: Node): boolean =>
      maintenance(node) === undefined && !isLimited(node) && check.hasTime?.(node) !== false;
    const asked = nodes.filter((node) => isAllowed(node) && (node === reference || ids.includes(node.id)));
    let offline = asked.length === 0 ? undefined : await probe(asked);
    // This machine seems offline, but perhaps only the mirrors without the release are down. Probe all mirrors to find
    // out, because any mirror that answers proves that this machine is online.
    if (offline !== undefined && nodes.some((node) => isAllowed(node) && !asked.includes(node)))
      offline = await probe(nodes.filter(isAllowed));
    return offline === undefined ? { answers: answers() } : { offline };
  };
  return { answers: answers(), look: (ids) => look(ids).catch(asOffline) };
}

/**
 * Treats a suspended or overloaded machine as offline, because it may recover by the next round. Throws every other
 * error again.
 */
function asOffline(error: unknown): Look {
  if (!(error instanceof Stalled || error instanceof OutOfDescriptors)) throw error;
  return { offline: error.message };
}

/** Throws InputError if there is no such target. */
function nodesOf(config: Config, place: string, file: string): Node[] {
  const all = listNodes(config);
  const nodes = all.filter((node) => node.place === place);
  if (nodes.length > 0) return nodes;
  const places = all.map((node) => node.place);
  const meant = closestName(place, places);
  const remedy = meant === undefined ? "name one of its targets." : `did you mean ${meant}?`;
  throw new InputError(`${file} has no mirrors for ${quote(place)}; ${remedy}`);
}

/** Wraps a probe to record, by mirror URL, when a rate-limited mirror may be asked again (RFC 9110, 10.2.3). */
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

/** Returns the most frequent text. If several texts are equally frequent, returns the one that occurs first. */
function mostCommon(texts: readonly string[]): string | undefined {
  const counts = [...group(texts.map((text) => [text, text] as const))];
  return counts.sort(([, left], [, right]) => right.length - left.length)[0]?.[0];
}

const unobserved: Problem = { code: "unobserved", sentence: "It was not probed." };
const limited: Problem = { code: "rate_limited", sentence: sentenceOf("rate_limited") };

function problemOf(
  found: string | Problem,
  expected: string | undefined,
  maintenance: string | undefined,
): Problem | undefined {
  if (maintenance !== undefined)
    return { code: "maintenance", sentence: `It is in maintenance (${printable(maintenance)}).` };
  if (typeof found !== "string") return found;
  if (expected === undefined) return { code: "no_reference", sentence: "The primary's ref is unknown." };
  if (found.startsWith(expected)) return undefined;
  return {
    code: "different",
    sentence: `It has ${found.slice(0, 12)} instead of ${expected.slice(0, 12)}.`,
  };
}
