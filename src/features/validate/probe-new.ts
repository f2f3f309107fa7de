import { basename } from "node:path";
import { loadTextBefore } from "../../core/config/load.ts";
import { type Node, newNodes } from "../../core/config/nodes.ts";
import { type Config, configOfMirror } from "../../core/config/config-schema.ts";
import { checkConfig } from "../../core/config/validate.ts";
import { InputError } from "../../core/base/errors.ts";
import { evidence, withoutKeyring } from "../../core/kinds/kinds.ts";
import { isOnline, offlineSentence } from "../../core/state/online.ts";
import { mergeResults } from "../../core/state/round.ts";
import type { CommandContext, ExitCode } from "../../core/base/terminal/context.ts";
import { formatInteger } from "../../core/base/text/count.ts";
import { quote } from "../../core/base/text/quote.ts";
import { observe, type ObserveOptions } from "../../core/probe/observe.ts";
import { mirrorTable, rowJson, rowsOf, targetWarningsOf } from "../explain/mirror-rows.ts";

const maxNodes = 1000;
const limits = { concurrency: 32, perHost: 4 };
const maxTimeoutMs = 30_000;
const maxAttempts = 3;
const privateRemedy = "use --allow-private; the setting in mirrors.json is ignored here";

/**
 * Probes the mirrors that a configuration adds to `base`, which is a file or a Git revision. A stranger may have
 * proposed these mirrors, so only their URLs, kinds and kind options are used. Controls and `maxBytes` come from `base`,
 * only `options` can allow private addresses, no other file is read, and time and requests are limited. If `base` is
 * invalid, every mirror is new. Returns a table and a record for JSON, both safe to print. Throws InputError if `base`
 * does not exist or too many mirrors are new.
 */
export async function probeNew(
  base: string,
  file: string,
  config: Config,
  { allowPrivate = false, dns }: Pick<ObserveOptions, "allowPrivate" | "dns">,
  context: CommandContext,
) {
  const before = await loadBefore(base, file, context);
  const nodes = newNodes(before, config).map(withinLimits);
  const [first] = nodes;
  const text = "No mirror is new, so nothing was probed.";
  if (first === undefined) return { exitCode: 0 as const, record: { base, nodes }, text };
  if (nodes.length > maxNodes)
    throw new InputError(
      `${file} has ${formatInteger(nodes.length)} new mirrors, but at most ${formatInteger(maxNodes)} are probed at once; add them in several steps.`,
    );
  const trusted = before && { controls: before.probe.controls, maxBytes: before.probe.maxBytes };
  const settings = configOfMirror(first.url, { ...limits, controls: [], ...trusted });
  const results = await observe(settings, nodes, { allowPrivate, dns, privateRemedy }, context);
  const round = mergeResults([results]);
  const isOffline = !round.vantages.some((vantage) => isOnline(nodes, vantage));
  if (isOffline) context.log(offlineSentence(nodes, round));
  const isRefuted = results.observations.some(({ code }) => evidence(code) === 0);
  const exitCode: ExitCode = isOffline ? 3 : isRefuted ? 1 : 0;
  const rows = rowsOf({ nodes, round });
  const prober = isOffline ? "offline" : "online";
  const record = { base, prober, warnings: targetWarningsOf(rows), nodes: rows.map(rowJson) };
  return { exitCode, record, text: mirrorTable(rows) };
}

/** Returns the configuration before the change. If it is invalid, logs a warning and returns undefined. */
async function loadBefore(base: string, file: string, context: CommandContext): Promise<Config | undefined> {
  const text = await loadTextBefore(base, file, context);
  const checked = text === undefined ? undefined : checkConfig(text, base);
  if (checked !== undefined && "config" in checked) return checked.config;
  context.log(
    `Warning: ${quote(base)} has no valid ${basename(file)}, so every mirror counts as new, and no controls are probed.`,
  );
  return undefined;
}

/**
 * Limits how a node is probed. It is not probed as a primary, because a primary's large files would be fetched. Its
 * keyrings are left out, because they are files on this machine.
 */
export function withinLimits(node: Node): Node {
  const { timeoutMs, attempts, options } = node.settings;
  const settings = {
    ...node.settings,
    timeoutMs: Math.min(timeoutMs, maxTimeoutMs),
    attempts: Math.min(attempts, maxAttempts),
    options: withoutKeyring(options),
  };
  return { ...node, primary: false, settings };
}
