import { type Command, Option } from "@commander-js/extra-typings";
import { InputError } from "../base/errors.ts";
import { pause } from "../base/files/lock.ts";
import { type CommandContext, type ExitCode, withTime } from "../base/terminal/context.ts";
import { quote } from "../base/text/quote.ts";
import { isoTimestamp } from "../base/text/timestamp.ts";
import { filePathPattern } from "../kinds/mirror-files.ts";
import {
  durationParser,
  type Execute,
  type Notes,
  offline,
  type OptionsOf,
  sharedOptions,
} from "./command.ts";
import { exitCodes, loadPublicKey, parseFeeds, parseTargetPath, publicKey } from "./published/query.ts";
import { safeJson } from "./published/sentences.ts";
import { advance, decide, type Goal, type Minimum, startGate, type Step } from "./wait/gate.ts";
import { progressSentence, resultText } from "./wait/sentences.ts";
import type { Look, Source, Wanted } from "./wait/source.ts";

export const notes: Notes = {
  examples: [
    "mirrorfeed wait community/jcb/packages --ref v2.0 --min 80% --timeout 24h",
    "mirrorfeed wait community/jcb/packages --path releases/2.0.tar.gz --for 1h --timeout 12h",
  ],
  exitCodes: {
    ...exitCodes,
    0: "enough mirrors have it",
    1: "the time is over, and too few have it",
    2: "usage or configuration, or an unknown target",
    3: offline,
  },
};

export function declare(command: Command, execute: Execute): void {
  addOptions(command).action((target, options) => execute((context) => wait(target, options, context)));
}

const parseTime = durationParser(
  1000,
  30 * 86_400_000,
  "a time",
  "write it as 90s, 30m, 6h or 2d, up to 30d",
);

function addOptions(command: Command) {
  return command
    .argument("<target>", "the target, as system/project/target")
    .option("--ref <name>", "a Git tag or branch, which must be the same object as the primary's", parseRef)
    .option("--path <path>", "a file below the URL of each mirror", parsePath)
    .option(
      "--sha256 <digest>",
      "with --path: download the file once from each mirror, one at a time per host, and compare its digest",
      parseSha256,
    )
    .option(
      "--revision <id>",
      "the commit of HEAD, or an index's revision as the feed shows it; 7 characters are enough",
      parseRevision,
    )
    .addOption(
      new Option("--min <n|n%>", "how many mirrors must have it; with 100%, one dead mirror means a timeout")
        .argParser(parseShare)
        .default<Minimum>({ percent: 100 }, "100%"),
    )
    .addOption(
      new Option("--timeout <time>", "how long to wait at most")
        .argParser(parseTime)
        .default(3_600_000, "1h"),
    )
    .option("--for <time>", "how long they must keep it before the wait ends", parseTime)
    .addOption(
      new Option(
        "--feed <url>",
        "with --revision: read the feed at this URL instead of probing; repeat it for more, in order",
      )
        .argParser(parseFeeds)
        .conflicts(["config", "allowPrivate", "dns"]),
    )
    .option(...publicKey)
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

function textParser(pattern: RegExp, remedy: string) {
  return (text: string): string => {
    if (pattern.test(text)) return text;
    throw new InputError(`${quote(text)} is not ${remedy}.`);
  };
}

// The characters that git-check-ref-format allows.
export const parseRef = textParser(
  /^(?![/-])[^\0-\x20\x7f*?[\\^~:]{1,190}(?<!\/)$/,
  "a ref; write it as v2.0, main or refs/tags/v2.0",
);

export const parsePath = textParser(
  filePathPattern,
  "a path below the mirrors; write it as releases/2.0.tar.gz, with %20 for a blank",
);

export const parseSha256 = textParser(/^[\da-f]{64}$/i, "a SHA-256 digest; write its 64 hexadecimal digits");

export const parseRevision = textParser(
  /^[!-~]{7,64}$/,
  "a revision; write at least 7 characters of it, as the feed shows it",
);

/**
 * Waits until enough mirrors have a release. Returns 0 if they do, 1 if the time is over, 2 if the feed has no such
 * target, 3 if this machine is offline then, 4 if the feed is unknown then. `sleep` must follow the clock of the context.
 */
export async function wait(
  target: string,
  options: WaitOptions,
  context: CommandContext,
  sleep: typeof pause = pause,
): Promise<ExitCode> {
  const { min, for: forMs = 0, json, timeout: timeoutMs } = options;
  const place = parseTargetPath(target);
  const wanted = wantedBy(options);
  if (forMs >= timeoutMs)
    throw new InputError("--for must be shorter than --timeout; set a longer --timeout.");
  const startedAt = context.now();
  const endsAt = startedAt + timeoutMs;
  const source = await openSource(place, wanted, options, endsAt, context);
  const goal: Goal = { min, endsAt, forMs, firstPauseMs: source.firstPauseMs };
  const { log } = withTime(context);
  let gate = startGate(source.answers);
  let step: Step = { at: startedAt, ids: [...source.answers.keys()] };
  let { failure, passed_over }: Look = {};
  let said = "";
  while ("at" in step) {
    const look = await source.look(step.ids);
    if (look.failure?.code === 2) {
      context.log(`Not found: ${look.failure.sentence}`);
      return 2;
    }
    ({ failure, passed_over } = look);
    gate = advance(gate, look.answers, context.now(), goal);
    const sentence = failure?.sentence ?? progressSentence(gate, goal, wanted);
    if (sentence !== said) log(sentence);
    said = sentence;
    step = decide(gate, context.now(), goal, context.random());
    if ("at" in step) await sleepUntil(step.at, context, sleep);
  }
  const isReached = step.done === "reached";
  const code = isReached ? 0 : (failure?.code ?? 1);
  if (json === true) {
    const outcome = isReached ? "reached" : code === 3 ? "offline" : code === 4 ? "unknown" : "timeout";
    const mirrors = [...gate.answers].map(([id, { url, has, code: why, sentence }]) => {
      return { id, url, has, code: why, sentence };
    });
    const times = { started_at: isoTimestamp(startedAt), ended_at: isoTimestamp(context.now()) };
    context.output(safeJson({ target: place, ...wanted, outcome, ...times, passed_over, mirrors }));
  } else if (gate.answers.size > 0) {
    context.output(resultText(place, isReached, gate, goal, wanted));
  }
  return code;
}

/** Throws InputError unless exactly one thing is waited for, and its source can tell. */
function wantedBy({ ref, path, sha256, revision, feed, publicKey: key }: WaitOptions): Wanted {
  const given = [ref, path, revision].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new InputError(
      "wait needs exactly one of --ref, --path and --revision; name what the mirrors should have.",
    );
  if (sha256 !== undefined && path === undefined)
    throw new InputError("--sha256 is the digest of a file; name the file with --path.");
  if (key !== undefined && feed === undefined)
    throw new InputError("--public-key is for a feed; name the feed with --feed.");
  if (feed !== undefined && revision === undefined)
    throw new InputError(
      `A feed does not tell which ${ref === undefined ? "files" : "refs"} its mirrors have; run wait with mirrors.json instead.`,
    );
  return { ref, path, sha256: sha256?.toLowerCase(), revision };
}

async function openSource(
  place: string,
  wanted: Wanted,
  { feed, publicKey: key, config: file, allowPrivate, dns }: WaitOptions,
  endsAt: number,
  context: CommandContext,
): Promise<Source> {
  if (feed !== undefined) {
    const { openFeeds } = await import("./wait/feed.ts");
    return openFeeds(feed, place, wanted.revision ?? "", await loadPublicKey(key), context);
  }
  const { loadConfig } = await import("../config/load.ts");
  const { openMirrors } = await import("./wait/mirrors.ts");
  return openMirrors(await loadConfig(file), place, wanted, { allowPrivate, dns, endsAt }, context);
}

async function sleepUntil(at: number, { progress, now, interrupt }: CommandContext, sleep: typeof pause) {
  const spinner = progress("Waiting");
  try {
    await sleep(Math.max(0, at - now()), interrupt);
  } finally {
    spinner.stop();
  }
}
