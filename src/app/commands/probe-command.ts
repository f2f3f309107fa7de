import { collectEarly } from "../collect-early.ts";
import { type Command, Option } from "@commander-js/extra-typings";
import { listNodes } from "../../core/config/nodes.ts";
import { configOfMirror } from "../../core/config/config-schema.ts";
import { InputError } from "../../core/base/errors.ts";
import { defaultKind, type KindName, kindNames, kindUrlProblem, sentenceOf } from "../../core/kinds/kinds.ts";
import { mirrorTable, rowsOf } from "../../features/explain/mirror-rows.ts";
import { formatResults, saveResults } from "../../core/probe/results.ts";
import { urlProblem } from "../../core/base/text/url.ts";
import { earlierRuns } from "../../core/state/earlier-runs.ts";
import { mergeResults } from "../../core/state/round.ts";
import type { ObserveOptions } from "../../core/probe/observe.ts";
import type { RunOptions } from "../run.ts";
import type { CommandContext, ExitCode } from "../../core/base/terminal/context.ts";
import { type Execute, type Notes, parseTimeout, sharedOptions } from "../../core/command/command.ts";
import { parseShard, resolveShard } from "./shard.ts";
import { familiesCheck } from "../../features/families/families.ts";
import type { Step } from "../../core/base/http/trace.ts";
import { printable } from "../../core/base/text/quote.ts";
import type { Observation } from "../../core/probe/observation.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed probe --results results.json --shard auto",
    "mirrorfeed probe https://git.example.org/joomla/packages --explain",
  ],
};

const ofMirrorsJson = ["config", "shard", "results", "runId", "vantage", "state"];
const ofUrl = ["kind", "timeout", "explain"];

export function declare(command: Command, execute: Execute): void {
  command
    .argument("[url]", "a URL to probe instead of the mirrors in mirrors.json")
    .addOption(
      new Option("--kind <kind>", "the kind of mirror at the URL").choices(kindNames).default(defaultKind),
    )
    .addOption(
      new Option("--timeout <time>", "the time limit for probing the URL")
        .argParser(parseTimeout)
        .default(10_000, "10s"),
    )
    .option("--explain", "print each step of probing the URL, with its time")
    .option(...sharedOptions.config)
    .option(
      "--shard <i/n>",
      "split the mirrors into n parts and probe only part i; auto reads both from environment variables",
      parseShard,
    )
    .option("--state <location>", "where to read the state of earlier runs; it is not changed")
    .option(...sharedOptions.stateRemote)
    .option(...sharedOptions.results)
    .option(...sharedOptions.runId)
    .option(...sharedOptions.vantage)
    .option(...sharedOptions.allowPrivate)
    .option(...sharedOptions.dns)
    .option(...sharedOptions.json)
    .action((url, { timeout: timeoutMs, runId: run, shard, ...options }, called) => {
      const misplaced = (url === undefined ? ofUrl : ofMirrorsJson).find(
        (name) => called.getOptionValueSource(name) === "cli",
      );
      if (misplaced !== undefined) {
        const remedy = url === undefined ? "name the URL to probe" : "leave out the option or the URL";
        const flag = called.options.find((one) => one.attributeName() === misplaced)?.long ?? misplaced;
        throw new InputError(
          `${flag} only works when probing ${url === undefined ? "one URL" : "mirrors.json"}; ${remedy}.`,
        );
      }
      return execute((context) =>
        url === undefined
          ? probe({ ...options, ...resolveShard(shard, run, context.environment) }, context)
          : probeUrl({ ...options, url, timeoutMs }, context),
      );
    });
}

interface ProbeOptions
  extends ObserveOptions, Pick<RunOptions, "config" | "results" | "json" | "stateRemote"> {
  /** The state is read, but never changed. */
  readonly state?: string | undefined;
}

export interface ProbeUrlOptions extends Pick<ObserveOptions, "allowPrivate" | "dns"> {
  readonly url: string;
  readonly kind?: KindName | undefined;
  readonly timeoutMs: number;
  readonly explain?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Probes every mirror and writes the results, but no site and no state. */
export async function probe(options: ProbeOptions, context: CommandContext): Promise<ExitCode> {
  collectEarly();
  const { loadConfig } = await import("../../core/config/load.ts");
  const { inShard } = await import("../../core/probe/probe-all.ts");
  const { observe } = await import("../../core/probe/observe.ts");
  const { openState } = await import("../../core/state/stored-state.ts");
  const { stateDocument } = await import("../state-document.ts");
  const config = await loadConfig(options.config);
  const nodes = listNodes(config);
  const { state } = options;
  const stored = state === undefined ? undefined : openState({ ...options, state }, stateDocument, context);
  const known = await stored?.load();
  const earlier = stored && { ...earlierRuns(known, nodes), checkHosts: familiesCheck(known?.hosts) };
  const results = await observe(config, nodes, { ...options, ...earlier }, context);
  if (options.results !== undefined) saveResults(options.results, results);
  context.output(
    options.json === true
      ? formatResults(results).trimEnd()
      : mirrorTable(rowsOf({ nodes: inShard(nodes, results.shard), round: mergeResults([results]) })),
  );
  return 0;
}

export async function probeUrl(
  { url, kind = defaultKind, timeoutMs, explain, json, ...options }: ProbeUrlOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { observe } = await import("../../core/probe/observe.ts");
  const problem = urlProblem(url) ?? kindUrlProblem(kind, url);
  if (problem !== undefined) throw new InputError(`The URL ${problem}.`);
  const config = configOfMirror(url, { kind, timeout: `${timeoutMs}ms` });
  const steps: TimedStep[] | undefined = explain === true ? [] : undefined;
  let startedAt: number | undefined;
  const onStep: ObserveOptions["onStep"] = (step) => {
    startedAt ??= performance.now();
    steps?.push({ at_ms: Math.round(performance.now() - startedAt), ...step });
  };
  const means = { ...options, privateRemedy: "use --allow-private" };
  const observed = steps === undefined ? means : { ...means, onStep, checkHosts: familiesCheck() };
  const [observation] = (await observe(config, listNodes(config), observed, context)).observations;
  if (observation === undefined) throw new Error("The URL was not observed.");
  const probed = { url, kind, observation, steps };
  context.output(json === true ? explanationJson(probed) : explanationText(probed));
  return 0;
}

export type TimedStep = Step & { readonly at_ms: number };

export interface ProbedUrl {
  readonly url: string;
  readonly kind: string;
  readonly observation: Observation;
  readonly steps?: readonly TimedStep[] | undefined;
}

export function explanationJson({ url, kind, observation, steps }: ProbedUrl): string {
  const { code, ...evidence } = observation;
  const sentence = sentenceOf(evidence.content_code ?? code, observation);
  const document = { url, kind, code, sentence, ...evidence, id: undefined, index: undefined, steps };
  return JSON.stringify(document, null, 2);
}

/** Returns a line for each step, then the result. Safe to print. */
export function explanationText({ url, observation, steps }: ProbedUrl): string {
  const { code, http_status, latency_ms, content_code } = observation;
  const status = http_status === undefined ? "" : ` (HTTP ${http_status})`;
  const latency = latency_ms === undefined ? "" : ` ${latency_ms} ms`;
  const told = content_code ?? code;
  const line = `${told}${latency} ${url} ${sentenceOf(told, observation)}${status}`;
  if (steps === undefined) return line;
  const result = { ...observation, step: "result", at_ms: steps.at(-1)?.at_ms ?? 0, id: undefined };
  return [...[...steps, result].flatMap(stepLines), "", line].join("\n");
}

const maxText = 600;

interface Shown extends Pick<TimedStep, "at_ms"> {
  readonly step: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly certificate?: object | undefined;
}

/** Returns a line with a step's facts, as `--json` names them, and one for each header and part of a certificate. */
function stepLines({ step, at_ms, headers = [], certificate = {}, ...own }: Shown): string[] {
  const facts = Object.entries<unknown>(own).flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return value === undefined ? [] : [`${name} ${text}`];
  });
  const details = [...headers, ...Object.entries<string>({ ...certificate })].map(
    ([name, text]) => `${name}: ${text.replaceAll("\n", ", ")}`,
  );
  const start = `${String(at_ms).padStart(6)} ms  ${step.padEnd(15)}`;
  return [facts.join(", "), ...details].map(
    (text, index) => (index === 0 ? start : " ".repeat(start.length)) + printable(text, maxText),
  );
}
