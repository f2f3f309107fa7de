import type { Mirror } from "../../client/index.ts";
import { InputError } from "../../core/base/errors.ts";
import type { CommandContext } from "../../core/base/terminal/context.ts";
import { listNodes } from "../../core/config/nodes.ts";
import { configOfMirror } from "../../core/config/config-schema.ts";
import { isKindName, type KindName, kinds, sentenceOf, withoutKeyring } from "../../core/kinds/kinds.ts";
import type { Observation } from "../../core/probe/observation.ts";

export type Probed = ReadonlyMap<Mirror, Observation>;

interface ProbeSettings {
  /** If set, every mirror is probed as this kind, whatever kind the feed says. */
  readonly kind?: KindName | undefined;
  readonly timeout: number;
  readonly allowPrivate?: boolean | undefined;
  readonly fallback?: string | undefined;
}

const maxProbes = 16;

/**
 * Probes mirrors one by one, each as a run would, and stops at the first good mirror. Only the last observation can be
 * good. Throws InputError if no mirror can be probed and there is no fallback.
 */
export async function probeUntilGood(
  mirrors: readonly Mirror[],
  { kind: given, timeout: timeoutMs, allowPrivate, fallback }: ProbeSettings,
  context: CommandContext,
): Promise<Probed> {
  const { observe } = await import("../../core/probe/observe.ts");
  // This mirror is never probed: it is replaced by each of the feed's.
  const defaults = configOfMirror("https://feed.invalid/");
  const limits = { timeoutMs, attempts: 2, failureThreshold: 1, successThreshold: 1 };
  // `observe` must log nothing, because pick has its own sentences for failures.
  const silent = { ...context, log: () => undefined };
  const probed = new Map<Mirror, Observation>();
  const skipped: string[] = [];
  for (const mirror of mirrors.slice(0, maxProbes)) {
    const { id, name, url } = mirror;
    const how = howToProbe(mirror, given);
    if (typeof how === "string") {
      skipped.push(`Cannot probe ${url}: ${how}`);
      continue;
    }
    const { host } = new URL(url);
    const nodes = listNodes(defaults).map((node) => {
      return { ...node, id, name, url, host, settings: { ...node.settings, ...limits, ...how } };
    });
    const [observation] = (await observe(defaults, nodes, { allowPrivate }, silent)).observations;
    if (observation === undefined) throw new Error("The mirror was not observed.");
    probed.set(mirror, observation);
    if (observation.code === "ok") break;
  }
  if (probed.size === 0 && skipped[0] !== undefined && fallback === undefined)
    throw new InputError(skipped[0]);
  for (const sentence of skipped) context.log(sentence);
  return probed;
}

/** Returns the kind and options to probe a mirror with, or why it cannot be probed. */
function howToProbe({ kind, options }: Mirror, given: KindName | undefined) {
  if (given !== undefined && given !== kind) return { kind: given, options: {} };
  if (kind === undefined) return "the feed does not say its kind; name the kind with --kind.";
  const parsed = isKindName(kind) ? kinds[kind].options?.safeParse(options) : undefined;
  if (!isKindName(kind) || parsed?.success === false)
    return "this version does not support its kind or options; name another kind with --kind.";
  return { kind, options: withoutKeyring(parsed?.data ?? {}) };
}

export function failureSentences(probed: Probed): string[] {
  return [...probed].flatMap(([{ url }, observation]) => {
    const { code } = observation;
    const remedy = code === "blocked_address" ? " Allow them with --allow-private." : "";
    return code === "ok" ? [] : [`Skipped ${url}: ${sentenceOf(code, observation)}${remedy}`];
  });
}

/** Puts the good mirror first, then those not probed, then those that failed. */
export function rankProbed(mirrors: readonly Mirror[], probed: Probed): Mirror[] {
  const order = (mirror: Mirror): number => {
    const code = probed.get(mirror)?.code;
    return code === "ok" ? 0 : code === undefined ? 1 : 2;
  };
  return mirrors.toSorted((left, right) => order(left) - order(right));
}
