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
  parserFor,
  sharedOptions,
} from "../../core/command/command.ts";
import { parseTargetPath } from "../trust/query.ts";
import {
  type Answer,
  countHaving,
  type Minimum,
  pauseAfter,
  required,
  type Wanted,
} from "./release-check.ts";
import { alignedTable } from "../../core/base/terminal/table.ts";
import { bareUrl } from "../../core/base/text/url.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed wait community/jcb/packages --ref v2.0 --min 80% --timeout 24h",
    "mirrorfeed wait community/jcb/packages --path releases/2.0.tar.gz --timeout 12h",
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

function addOptions(command: Command) {
  return command
    .argument("<target>", "the target, as system/project/target")
    .option(
      "--ref <name>",
      "a Git tag or branch, which must point to the same object as on the primary",
      parseRef,
    )
    .option("--path <path>", "a file's path, relative to each mirror's URL", parsePath)
    .option("--size <bytes>", "the size that the file at --path must have", parseSize)
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
        .argParser(
          durationParser(1000, 30 * 86_400_000, "a valid time", "write it as 90s, 30m, 6h or 2d, up to 30d"),
        )
        .default(3_600_000, "1h"),
    )
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

export const parseSize = (text: string): number => Number(sizeText(text));
const sizeText = parserFor(/^\d{1,15}$/, "a size; write it in bytes, such as 1048576");

// The characters that git-check-ref-format(1) allows.
export const parseRef = parserFor(
  /^(?![/-])[^\0-\x20\x7f*?[\\^~:]{1,190}(?<!\/)$/,
  "a ref; write it as v2.0, main or refs/tags/v2.0",
);

export const parsePath = parserFor(
  filePathPattern,
  "a path relative to the mirrors' URLs; write it as releases/2.0.tar.gz, with %20 for a space",
);

export const parseRevision = parserFor(
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
  const { min, json, timeout: timeoutMs } = options;
  const { now, interrupt } = context;
  const place = parseTargetPath(target);
  const wanted = wantedBy(options);
  const startedAt = now();
  const endsAt = startedAt + timeoutMs;
  const { openMirrors } = await import("./mirrors.ts");
  const mirrors = await openMirrors(place, wanted, options, context);
  const { log } = withTime(context);
  let outcome: "reached" | "offline" | "timeout" | undefined;
  let said = "";
  for (let rounds = 1; outcome === undefined; rounds += 1) {
    const offlineSentence = await mirrors.look();
    const sentence = offlineSentence ?? progressSentence(mirrors.answers(), wanted);
    if (sentence !== said) log(sentence);
    said = sentence;
    const pauseMs = Math.min(pauseAfter(rounds, context.random()), endsAt - now());
    if (mirrors.areEnough()) outcome = "reached";
    else if (pauseMs <= 0) outcome = offlineSentence === undefined ? "timeout" : "offline";
    else {
      const spinner = context.progress("Waiting");
      await sleep(pauseMs, interrupt).finally(() => {
        spinner.stop();
      });
    }
  }
  const answers = mirrors.answers();
  if (json === true) {
    const times = { started_at: isoTimestamp(startedAt), ended_at: isoTimestamp(now()) };
    const result = { target: place, ...wanted, outcome, ...times, mirrors: answers };
    context.output(JSON.stringify(result, null, 2));
  } else {
    context.output(resultText(place, answers, min, wanted));
  }
  return exitCodes[outcome];
}

const exitCodes = { reached: 0, timeout: 1, offline: 3 } as const;

/** Throws InputError unless the options name exactly one thing to wait for. */
function wantedBy({ ref, path, size, revision }: WaitOptions): Wanted {
  if (size !== undefined && path === undefined)
    throw new InputError("--size is the size of a file; name the file with --path.");
  if ([ref, path, revision].filter((one) => one !== undefined).length === 1)
    return { ref, path, size, revision };
  throw new InputError(
    "wait needs exactly one of --ref, --path and --revision, to say what the mirrors should have.",
  );
}

const maxNames = 5;
const maxRows = 50;

/** Says nothing that changes in every round, because `wait` logs the sentence whenever it changes. */
export function progressSentence(answers: readonly Answer[], wanted: Wanted): string {
  const counted = countText(answers, wanted);
  const lacking = answers.filter(({ has }) => !has);
  if (lacking.length === 0) return `${counted}.`;
  const names = lacking.slice(0, maxNames).map(({ url }) => bareUrl(url));
  const more = lacking.length > maxNames ? ` and ${lacking.length - maxNames} more` : "";
  return `${counted}; waiting for ${names.join(", ")}${more}.`;
}

/** Says how many mirrors have the release, and why the others do not count. Safe to print. */
export function resultText(place: string, answers: readonly Answer[], min: Minimum, wanted: Wanted): string {
  const needed = required(min, answers.length);
  const missing = countHaving(answers) < needed ? `; --min requires ${needed}` : "";
  const lacking = answers.filter(({ has }) => !has);
  const rows = lacking.slice(0, maxRows).map(({ url, sentence = "" }) => [`  ${url}`, sentence]);
  const more = lacking.length > maxRows ? [`  and ${lacking.length - maxRows} more`] : [];
  return alignedTable([`${place}: ${countText(answers, wanted)}${missing}.`, ...rows, ...more]);
}

function countText(answers: readonly Answer[], { ref, path, revision = "" }: Wanted): string {
  const have = answers.length === 1 ? "1 mirror has" : `${answers.length} mirrors have`;
  return `${countHaving(answers)} of ${have} ${ref ?? path ?? `revision ${revision}`}`;
}
