import { basename } from "node:path";
import { loadTextBefore } from "../config/load.ts";
import { type Node, newNodes } from "../config/nodes.ts";
import { type Config, configOfMirror } from "../config/schema.ts";
import { checkConfig } from "../config/validate.ts";
import { InputError } from "../base/errors.ts";
import { withoutKeyrings } from "../kinds/kinds.ts";
import { isOnline } from "../state/online.ts";
import { mergeResults } from "../state/round.ts";
import { evidence } from "../state/verdict.ts";
import type { CommandContext, ExitCode } from "../base/terminal/context.ts";
import { formatInteger } from "../base/text/count.ts";
import { quote } from "../base/text/quote.ts";
import { observe, type ObserveOptions } from "./observe.ts";
import { offlineSentence } from "./offline-sentence.ts";
import { rowJson, rowsOf, summaryTable } from "./summary.ts";

/** The result of probing the mirrors that a change adds. */
export interface ProbedChange {
  /** 0 if all are reachable or nothing speaks against it, 1 if one is not, 3 if the prober is offline. */
  readonly exitCode: ExitCode;
  /** The result for JSON. */
  readonly record: object;
  /** The same as a table. Safe to print. */
  readonly text: string;
}

/** What only the operator decides, not the configuration that is probed. */
export type ProbeNewOptions = Pick<ObserveOptions, "allowPrivate" | "dns">;

const maxNodes = 1000;
const limits = { concurrency: 32, perHost: 4 };
const maxTimeoutMs = 30_000;
const maxAttempts = 3;
const privateRemedy = "use --allow-private; the setting in mirrors.json does not count here";

/**
 * Probes the mirrors that are new in a configuration since `base`, a file or a revision of Git. Since a stranger may
 * propose them, only their URLs, their kinds and the options of these are taken from it. Controls are those of `base`,
 * private addresses are for `options` alone to allow, no other file is read, and the time and the requests are limited.
 * If `base` is not valid, every mirror is new. Throws InputError if `base` does not exist or too many mirrors are new.
 */
export async function probeNew(
  base: string,
  file: string,
  config: Config,
  { allowPrivate = false, dns }: ProbeNewOptions,
  context: CommandContext,
): Promise<ProbedChange> {
  const before = await loadBefore(base, file, context);
  const nodes = newNodes(before, config).map(withinLimits);
  const [first] = nodes;
  if (first === undefined)
    return { exitCode: 0, record: { base, nodes }, text: "No mirror is new, so none was probed." };
  if (nodes.length > maxNodes)
    throw new InputError(
      `${file} has ${formatInteger(nodes.length)} new mirrors, and at most ${formatInteger(maxNodes)} are probed at once; add them in several steps.`,
    );
  const settings = configOfMirror(first.url, { ...limits, controls: before?.probe.controls ?? [] });
  const results = await observe(settings, nodes, { allowPrivate, dns, privateRemedy }, context);
  const round = mergeResults([results]);
  const isOffline = !round.vantages.some((vantage) => isOnline(nodes, vantage));
  if (isOffline) context.log(offlineSentence(nodes, round));
  const isRefuted = results.observations.some(({ code }) => evidence(code) === 0);
  return {
    exitCode: isOffline ? 3 : isRefuted ? 1 : 0,
    record: { base, prober: isOffline ? "offline" : "online", nodes: rowsOf({ nodes, round }).map(rowJson) },
    text: summaryTable({ nodes, round }, context.color),
  };
}

/** Returns the configuration before the change. Logs a warning and returns undefined if there is no valid one. */
async function loadBefore(base: string, file: string, context: CommandContext): Promise<Config | undefined> {
  const text = await loadTextBefore(base, file, context);
  const checked = text === undefined ? undefined : checkConfig(text, base);
  if (checked !== undefined && "config" in checked) return checked.config;
  context.log(
    `Warning: ${quote(base)} has no valid ${basename(file)}, so every mirror is new, and no control is requested.`,
  );
  return undefined;
}

/**
 * Returns a node as it is probed here: of a primary, large files would be fetched, and a keyring is a file of this
 * machine.
 */
export function withinLimits(node: Node): Node {
  const { kind, timeoutMs, attempts, options } = node.settings;
  const settings = {
    ...node.settings,
    timeoutMs: Math.min(timeoutMs, maxTimeoutMs),
    attempts: Math.min(attempts, maxAttempts),
    options: withoutKeyrings(kind, options),
  };
  return { ...node, primary: false, settings };
}
