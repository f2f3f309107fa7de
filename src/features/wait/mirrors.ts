import { InputError } from "../../core/base/errors.ts";
import { Stalled } from "../../core/base/http/failure.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { byFrequency } from "../../core/base/text/group.ts";
import { closestName } from "../../core/base/text/name.ts";
import { printable, quote } from "../../core/base/text/quote.ts";
import { loadConfig } from "../../core/config/load.ts";
import { listNodes, maintenanceReason, type Node } from "../../core/config/nodes.ts";
import type { Config } from "../../core/config/config-schema.ts";
import { sentenceOf } from "../../core/kinds/kinds.ts";
import { observe, type ObserveOptions } from "../../core/probe/observe.ts";
import { isOnline, offlineSentence } from "../../core/state/online.ts";
import { mergeResults } from "../../core/state/round.ts";
import {
  type Answer,
  countHaving,
  type Minimum,
  type Problem,
  releaseCheck,
  required,
  type Wanted,
} from "./release-check.ts";

interface MirrorOptions extends Pick<ObserveOptions, "allowPrivate" | "dns"> {
  readonly config: string;
  readonly min: Minimum;
}

/** What the last probe of each mirror found, by id: a revision, an object, a file or a problem. */
type Found = ReadonlyMap<number, string | Problem>;

/**
 * Returns a target's mirrors, of which none has the release before the first look. Throws InputError if there are too
 * few, or if they can't be probed for this release.
 */
export async function openMirrors(
  place: string,
  wanted: Wanted,
  { config: file, min, ...options }: MirrorOptions,
  context: CommandContext,
) {
  const config = await loadConfig(file);
  const nodes = nodesOf(config, place, file);
  const check = releaseCheck(wanted, nodes);
  const needed = required(min, nodes.length);
  const reference = wanted.ref === undefined ? undefined : nodes.find(({ primary }) => primary);
  // Without a primary, all refs are needed to know the most common one. A captive portal may answer for HTTP mirrors,
  // and only the controls tell.
  const canStop =
    (wanted.ref === undefined || reference !== undefined) &&
    (config.probe.controls.length === 0 || nodes.every(({ url }) => url.startsWith("https:")));
  let known: Found = new Map();
  let log = context.log;
  const isAllowed = (node: Node): boolean => maintenanceProblem(config, node, context.now()) === undefined;
  const answersOf = (found: Found): Answer[] => {
    const texts = nodes.map(({ id }) => found.get(id)).filter((one) => typeof one === "string");
    const shared = reference ? found.get(reference.id) : byFrequency(texts)[0]?.[0];
    const expected = wanted.revision ?? shared;
    return nodes.map((node) => {
      const { id, url } = node;
      const maintenance = maintenanceProblem(config, node, context.now());
      const problem = maintenance ?? problemOf(found.get(id), expected);
      return { id, url, has: problem === undefined, ...problem };
    });
  };
  const areEnough = (found: Found): boolean => countHaving(answersOf(found)) >= needed;

  const probe = async (asked: readonly Node[]): Promise<string | undefined> => {
    const prepared = asked.map((node) => ({ ...node, settings: { ...node.settings, ...check.settings } }));
    const found = new Map(known);
    // Until the primary has answered again, no mirror can be compared with it.
    if (reference !== undefined) found.delete(reference.id);
    const enough = new AbortController();
    const interrupt = AbortSignal.any([context.interrupt, enough.signal]);
    const onSeen: ObserveOptions["onSeen"] = (seen, refs) => {
      const failed = { code: seen.code, sentence: sentenceOf(seen.code, seen) };
      found.set(seen.id, check.read(seen, refs) ?? failed);
      if (canStop && areEnough(found)) enough.abort();
    };
    try {
      const results = await observe(config, prepared, { ...options, onSeen }, { ...context, interrupt, log });
      // Log the warnings only once: later rounds would repeat them.
      log = () => undefined;
      const round = mergeResults([results]);
      if (!round.vantages.some((vantage) => isOnline(prepared, vantage)))
        return offlineSentence(asked, round);
    } catch (error) {
      // A machine that was suspended can recover.
      if (error instanceof Stalled) return error.message;
      if (error !== enough.signal.reason) throw error;
    }
    known = found;
    return undefined;
  };

  /** Probes mirrors until enough have the release. Returns a sentence if this machine is offline. */
  const look = async (): Promise<string | undefined> => {
    const having = new Set(answersOf(known).flatMap(({ id, has }) => (has ? id : [])));
    const allowed = nodes.filter(isAllowed);
    // The primary is asked even if it has the release, because the other mirrors are compared with it, and its branches
    // get new commits.
    const asked = allowed.filter((node) => node === reference || !having.has(node.id));
    const offline = asked.length === 0 ? undefined : await probe(asked);
    // This machine seems offline, but perhaps only the mirrors without the release are down. Probe all mirrors to find
    // out, because any mirror that answers proves that this machine is online.
    return offline !== undefined && asked.length < allowed.length ? probe(allowed) : offline;
  };
  return { answers: () => answersOf(known), areEnough: () => areEnough(known), look };
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

function maintenanceProblem({ maintenance }: Config, node: Node, now: number): Problem | undefined {
  const reason = maintenanceReason(maintenance, node, now);
  const sentence = `It is in maintenance (${printable(reason ?? "")}).`;
  return reason === undefined ? undefined : { code: "maintenance", sentence };
}

function problemOf(
  found: string | Problem = { code: "unanswered", sentence: "It has not answered yet." },
  expected: string | Problem | undefined,
): Problem | undefined {
  if (typeof found !== "string") return found;
  if (typeof expected !== "string")
    return { code: "no_reference", sentence: "The primary's ref is unknown." };
  if (found.startsWith(expected)) return undefined;
  const sentence = `It has ${found.slice(0, 12)} instead of ${expected.slice(0, 12)}.`;
  return { code: "different", sentence };
}
