import { InputError } from "../../core/base/errors.ts";
import { Stalled } from "../../core/base/http/failure.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { group } from "../../core/base/text/group.ts";
import { closestName } from "../../core/base/text/name.ts";
import { printable, quote } from "../../core/base/text/quote.ts";
import { loadConfig } from "../../core/config/load.ts";
import { listNodes, type Node } from "../../core/config/nodes.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import { observe, type ObserveOptions } from "../../core/probe/observe.ts";
import { isOnline, offlineSentence } from "../../core/state/online.ts";
import { maintenanceReason } from "../../core/state/maintenance.ts";
import { mergeResults } from "../../core/state/round.ts";
import type { Answers, Look, Problem, Source } from "./gate.ts";
import { releaseCheck, type Wanted } from "./release-check.ts";

interface MirrorOptions extends Pick<ObserveOptions, "allowPrivate" | "dns"> {
  /** The path of mirrors.json. */
  readonly config: string;
}

/** Returns a source that probes a target's mirrors. Throws InputError if they can't be probed for this release. */
export async function openMirrors(
  place: string,
  wanted: Wanted,
  { config: file, ...options }: MirrorOptions,
  context: CommandContext,
): Promise<Source> {
  const config = await loadConfig(file);
  const nodes = nodesOf(config, place, file);
  const check = releaseCheck(wanted, nodes);
  // Each round also asks the primary, even if it has the release, because the other mirrors are compared with it, and
  // its branches get new commits.
  const reference = wanted.ref === undefined ? undefined : nodes.find(({ primary }) => primary);
  /** What the last probe of each mirror found: a revision, an object, a file or a problem. */
  const seen = new Map<Node, string | Problem>();
  let log = context.log;

  const maintenance = (node: Node): string | undefined =>
    maintenanceReason(config.maintenance, node, context.now());
  const answers = (): Answers => {
    const primary = reference && seen.get(reference);
    const ofPrimary = typeof primary === "string" ? primary : undefined;
    const known = [...seen.values()].filter((found) => typeof found === "string");
    const expected = wanted.revision ?? (reference === undefined ? mostCommon(known) : ofPrimary);
    return new Map(
      nodes.map((node) => {
        const problem = problemOf(seen.get(node) ?? unobserved, expected, maintenance(node));
        return [node.id, { url: node.url, has: problem === undefined, ...problem }];
      }),
    );
  };

  /** Probes mirrors and stores the results in `seen`. Returns a sentence if this machine is offline. */
  const probe = async (asked: readonly Node[]): Promise<string | undefined> => {
    const prepared = asked.map((node) => ({ ...node, settings: { ...node.settings, ...check.settings } }));
    const results = await observe(config, prepared, options, { ...context, log });
    // Log the warnings only once: later rounds would repeat them.
    log = () => undefined;
    const round = mergeResults([results]);
    if (!round.vantages.some((vantage) => isOnline(prepared, vantage))) return offlineSentence(asked, round);
    for (const node of asked) {
      const observation = results.observations.find(({ id }) => id === node.id);
      if (observation === undefined) continue;
      const { code, refs = "" } = observation;
      const failed = { code, sentence: sentenceOf(code, observation) };
      seen.set(node, check.read(observation, round.refs?.get(refs)) ?? failed);
    }
    return undefined;
  };

  const look = async (ids: readonly number[]): Promise<Look> => {
    const allowed = nodes.filter((node) => maintenance(node) === undefined);
    const asked = allowed.filter((node) => node === reference || ids.includes(node.id));
    let offline = asked.length === 0 ? undefined : await probe(asked);
    // This machine seems offline, but perhaps only the mirrors without the release are down. Probe all mirrors to find
    // out, because any mirror that answers proves that this machine is online.
    if (offline !== undefined && asked.length < allowed.length) offline = await probe(allowed);
    return offline === undefined ? { answers: answers() } : { offline };
  };
  return { answers: answers(), look: (ids) => look(ids).catch(asOffline) };
}

/** Treats a machine that was suspended as offline, because it can recover. Throws every other error again. */
function asOffline(error: unknown): Look {
  if (error instanceof Stalled) return { offline: error.message };
  throw error;
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

/** Returns the most frequent text. If several texts are equally frequent, returns the one that occurs first. */
function mostCommon(texts: readonly string[]): string | undefined {
  const counts = [...group(texts.map((text) => [text, text] as const))];
  return counts.sort(([, left], [, right]) => right.length - left.length)[0]?.[0];
}

const unobserved: Problem = { code: "unobserved", sentence: "It was not probed." };

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
