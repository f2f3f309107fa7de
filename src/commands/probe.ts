import { loadConfig } from "../config/load.ts";
import { listNodes } from "../config/nodes.ts";
import { configOfMirror } from "../config/schema.ts";
import { InputError } from "../base/errors.ts";
import { defaultKind, type KindName, kinds } from "../kinds/kinds.ts";
import { explanationJson, explanationText, type TimedStep } from "../probe/explanation.ts";
import { formatResults, saveResults } from "../probe/results.ts";
import { inShard } from "../probe/shard.ts";
import { visibleJson } from "../base/text/quote.ts";
import { urlProblem } from "../base/text/url.ts";
import { earlierRuns } from "../state/earlier-runs.ts";
import { mergeResults } from "../state/round.ts";
import { observe, type ObserveOptions } from "../run/observe.ts";
import { openState } from "../run/stored-state.ts";
import type { ExitCode, CommandContext } from "../base/terminal/context.ts";
import { summaryTable } from "../run/summary.ts";

export interface ProbeOptions extends ObserveOptions {
  readonly config: string;
  readonly results?: string | undefined;
  readonly json?: boolean | undefined;
  /** Where earlier runs are remembered. It is only read. */
  readonly state?: string | undefined;
  readonly stateRemote?: string | undefined;
}

export interface ProbeUrlOptions extends Pick<ObserveOptions, "allowPrivate" | "dns"> {
  readonly url: string;
  /** The default kind if it is left out. */
  readonly kind?: KindName | undefined;
  readonly timeoutMs: number;
  readonly explain?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Probes every mirror and writes only the observations. Reads the state, if one is named, and does not change it. */
export async function probe(options: ProbeOptions, context: CommandContext): Promise<ExitCode> {
  const config = await loadConfig(options.config);
  const nodes = listNodes(config);
  const { state } = options;
  const stored = state === undefined ? undefined : openState({ ...options, state }, context);
  const known = stored && earlierRuns(await stored.load());
  const results = await observe(config, nodes, { ...options, ...known }, context);
  if (options.results !== undefined) saveResults(options.results, results);
  context.output(
    options.json === true
      ? visibleJson(formatResults(results).trimEnd())
      : summaryTable({ nodes: inShard(nodes, results.shard), round: mergeResults([results]) }, context.color),
  );
  return 0;
}

/** Probes one URL without mirrors.json, and explains each step if that is asked for. */
export async function probeUrl(options: ProbeUrlOptions, context: CommandContext): Promise<ExitCode> {
  const { url, kind = defaultKind, timeoutMs, explain } = options;
  const problem = urlProblem(url) ?? kinds[kind].urlProblem?.(url);
  if (problem !== undefined) throw new InputError(`The URL ${problem}.`);
  const config = configOfMirror(url, { kind, timeout: `${timeoutMs}ms` });
  const steps: TimedStep[] = [];
  let startedAt: number | undefined;
  const onStep: ObserveOptions["onStep"] = (step) => {
    startedAt ??= context.now();
    steps.push({ at_ms: Math.max(0, Math.round(context.now() - startedAt)), ...step });
  };
  const nodes = listNodes(config);
  const { observations } = await observe(
    config,
    nodes,
    { ...options, onStep: explain === true ? onStep : undefined },
    context,
  );
  const [observation] = observations;
  if (observation === undefined) throw new Error("The URL was not observed.");
  const probed = { url, kind, observation, steps: explain === true ? steps : undefined };
  context.output(options.json === true ? explanationJson(probed) : explanationText(probed));
  return 0;
}
