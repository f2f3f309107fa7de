import { type Command, Option } from "@commander-js/extra-typings";
import { InputError } from "../../core/base/errors.ts";
import { pause } from "../../core/base/files/lock.ts";
import { type CommandContext, type ExitCode, withTime } from "../../core/base/terminal/context.ts";
import { quote } from "../../core/base/text/quote.ts";
import { isoTimestamp } from "../../core/base/text/timestamp.ts";
import { filePathPattern } from "../../core/kinds/mirror-files.ts";
import {
  durationParser,
  type Execute,
  type Notes,
  offline,
  type OptionsOf,
  sharedOptions,
} from "../../core/command/command.ts";
import { parseTargetPath } from "../trust/query.ts";
import { advance, decide, type Goal, type Minimum, startGate, type Step } from "./gate.ts";
import type { Wanted } from "./release-check.ts";
import { progressSentence, resultText } from "./wait-sentences.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed wait community/jcb/packages --ref v2.0 --min 80% --timeout 24h",
    "mirrorfeed wait community/jcb/packages --path releases/2.0.tar.gz --for 1h --timeout 12h",
  ],
  exitCodes: {
    0: "enough mirrors have the release",
    1: "time ran out before enough mirrors had the release",
    2: "wrong usage or configuration, or an unknown target",
    3: offline,
  },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((target, options) => execute((context) => wait(target, options, context)));
}

const parseTime = durationParser(
  1000,
  30 * 86_400_000,
  "a valid time",
  "write it as 90s, 30m, 6h or 2d, up to 30d",
);

function addOptions(command: Command) {
  return command
    .argument("<target>", "the target, as system/project/target")
    .option(
      "--ref <name>",
      "a Git tag or branch, which must point to the same object as on the primary",
      parseRef,
    )
    .option("--path <path>", "a file's path, relative to each mirror's URL", parsePath)
    .option(
      "--sha256 <digest>",
      "with --path: download the file once from each mirror, one at a time per host, and compare its digest",
      parseSha256,
    )
    .option(
      "--revision <id>",
      "the revision to wait for, as a feed shows it (for Git, the commit of HEAD); its first 7 characters are enough",
      parseRevision,
    )
    .addOption(
      new Option(
        "--min <n|n%>",
        "how many mirrors must have the release; with 100%, one dead mirror causes a timeout",
      )
        .argParser(parseShare)
        .default<Minimum>({ percent: 100 }, "100%"),
    )
    .addOption(
      new Option("--timeout <time>", "the longest time to wait")
        .argParser(parseTime)
        .default(3_600_000, "1h"),
    )
    .option("--for <time>", "how long the mirrors must keep the release before the wait ends", parseTime)
    .option(...sharedOptions.config)
    .option(...sharedOptions.allowPrivate)
    .option(...sharedOptions.dns)
    .option(...sharedOptions.json);
}

export type WaitOptions = OptionsOf<typeof addOptions>;

export function parseShare(text: string): Minimum {
  const [, number, sign] = /^([1-9]\d{0,3})(%?)$/.exec(text) ?? [];
  if (sign === "" && number !== undefined) return { count: Number(number) };
  if (sign === "%" && Number(number) <= 100) return { percent: Number(number) };
  throw new InputError(`${quote(text)} is not a number of mirrors; write it as 3 or as 80%.`);
}

function textParser(pattern: RegExp, expected: string) {
  return (text: string): string => {
    if (pattern.test(text)) return text;
    throw new InputError(`${quote(text)} is not ${expected}.`);
  };
}

// The characters that git-check-ref-format(1) allows.
export const parseRef = textParser(
  /^(?![/-])[^\0-\x20\x7f*?[\\^~:]{1,190}(?<!\/)$/,
  "a ref; write it as v2.0, main or refs/tags/v2.0",
);

export const parsePath = textParser(
  filePathPattern,
  "a path relative to the mirrors' URLs; write it as releases/2.0.tar.gz, with %20 for a space",
);

export const parseSha256 = textParser(/^[\da-f]{64}$/i, "a SHA-256 digest; write its 64 hexadecimal digits");

export const parseRevision = textParser(
  /^[!-~]{7,64}$/,
  "a revision; write at least 7 characters of it, as a feed shows it",
);

/**
 * Waits until enough mirrors have a release. Returns 0 when they do. After the timeout, returns 3 if this machine is
 * offline, else 1. `sleep` must use the context's clock.
 */
export async function wait(
  target: string,
  options: WaitOptions,
  context: CommandContext,
  sleep: typeof pause = pause,
): Promise<ExitCode> {
  const { min, for: forMs = 0, json, timeout: timeoutMs } = options;
  const { now } = context;
  const place = parseTargetPath(target);
  const wanted = wantedBy(options);
  const startedAt = now();
  const endsAt = startedAt + timeoutMs;
  const { openMirrors } = await import("./mirrors.ts");
  const source = await openMirrors(place, wanted, endsAt, options, context);
  const goal: Goal = { min, endsAt, forMs };
  const { log } = withTime(context);
  let gate = startGate(source.answers);
  let step: Step = { at: startedAt, ids: [...source.answers.keys()] };
  let offlineText: string | undefined;
  let said = "";
  while ("at" in step) {
    const look = await source.look(step.ids);
    offlineText = look.offline;
    gate = advance(gate, look.answers, now(), goal);
    const sentence = offlineText ?? progressSentence(gate, goal, wanted);
    if (sentence !== said) log(sentence);
    said = sentence;
    step = decide(gate, now(), goal, context.random());
    if ("at" in step) {
      const spinner = context.progress("Waiting");
      await sleep(Math.max(0, step.at - now()), context.interrupt).finally(() => {
        spinner.stop();
      });
    }
  }
  const isReached = step.done === "reached";
  const code = isReached ? 0 : offlineText === undefined ? 1 : 3;
  if (json === true) {
    const outcome = isReached ? "reached" : code === 3 ? "offline" : "timeout";
    const mirrors = [...gate.answers].map(([id, answer]) => ({ id, ...answer, at: undefined }));
    const times = { started_at: isoTimestamp(startedAt), ended_at: isoTimestamp(now()) };
    const result = { target: place, ...wanted, outcome, ...times, mirrors };
    context.output(JSON.stringify(result, null, 2));
  } else if (gate.answers.size > 0) {
    context.output(resultText(place, isReached, gate, goal, wanted));
  }
  return code;
}

/** Throws InputError unless the options fit together and name exactly one thing to wait for. */
function wantedBy({ ref, path, sha256, revision, ...options }: WaitOptions): Wanted {
  const refuseIf = (isWrong: boolean, sentence: string): void => {
    if (isWrong) throw new InputError(sentence);
  };
  refuseIf(
    [ref, path, revision].filter((one) => one !== undefined).length !== 1,
    "wait needs exactly one of --ref, --path and --revision, to say what the mirrors should have.",
  );
  refuseIf(
    sha256 !== undefined && path === undefined,
    "--sha256 is the digest of a file; name the file with --path.",
  );
  refuseIf(
    (options.for ?? 0) >= options.timeout,
    "--for must be shorter than --timeout; set a longer --timeout.",
  );
  return { ref, path, sha256: sha256?.toLowerCase(), revision };
}
