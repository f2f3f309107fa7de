import { CANCEL_SYMBOL, confirm, intro, outro, select, text } from "@clack/prompts";
import { nameProblem } from "../../base/text/name.ts";
import { parseUrl } from "../../base/text/url.ts";
import { Interrupted } from "../../base/errors.ts";
import type { Host } from "../../hosts/host.ts";
import { findHost, hosts } from "../../hosts/registry.ts";
import { defaultKind, mirrorPath } from "../../kinds/kinds.ts";
import { privateUrlProblem } from "../../config/warnings.ts";
import { controlProblem, defaultAnswers, answerProblems, type InitFlags, mirrorProblem } from "./answers.ts";
import type { Terminal } from "../../base/terminal/context.ts";

/** What each prompt needs to read, write and end. */
interface PromptOptions extends Terminal {
  readonly signal: AbortSignal;
}

interface TextQuestion {
  readonly message: string;
  readonly problem: (text: string) => string | undefined;
  readonly initialValue?: string | undefined;
  /** Shown while the answer is empty. If set, an empty answer is valid. */
  readonly ifEmpty?: string | undefined;
}

/**
 * Asks for each flag that is missing and returns all of them. An invalid answer is asked again, with the reason. Throws
 * Interrupted if the user or the process ends the questions.
 */
export async function askMissing(
  flags: InitFlags,
  terminal: Terminal,
  interrupt: AbortSignal,
  remote = "",
): Promise<InitFlags> {
  interrupt.throwIfAborted();
  const ask = (question: TextQuestion): Promise<string> =>
    answerOf(terminal, interrupt, (options) => text({ ...options, ...promptOf(question) }));
  const askName = async (level: "system" | "project" | "target", suggestion?: string): Promise<string> =>
    flags[level] ??
    (await ask({ message: `The name of the ${level}`, problem: nameProblem, initialValue: suggestion }));

  intro("A new feed", terminal);
  const mirror = flags.mirror ?? (await askMirrors(ask));
  const [organization, repository] = suggestNames(mirror[0] ?? "");
  const system = await askName("system", "community");
  const project = await askName("project", organization);
  const target = await askName("target", repository);
  const host =
    flags.host ??
    (await answerOf(terminal, interrupt, (options) =>
      select({
        ...options,
        message: "Where will the feed be published?",
        initialValue: defaultAnswers.host,
        options: hosts.map((one) => ({ value: one.name, label: `${one.title} (${hintOf(one)})` })),
      }),
    ));
  const url =
    flags.url ??
    (await ask({
      message: "At which URL, with its path?",
      problem: answerProblems.url,
      initialValue: findHost(host)?.urlOfRemote?.(remote),
      ifEmpty: "leave it empty if you do not know it yet",
    }));
  const title =
    flags.title ??
    (await ask({
      message: "The title of its page",
      problem: answerProblems.title,
      ifEmpty: "Mirror status",
    }));
  const interval =
    flags.interval ??
    (await ask({
      message: "How often is it refreshed?",
      problem: answerProblems.interval,
      initialValue: defaultAnswers.interval,
    }));
  const control = flags.control ?? (await askControl(ask));
  const primary =
    flags.primary ??
    (mirror.length < 2
      ? ""
      : await answerOf(terminal, interrupt, (options) =>
          select({
            ...options,
            message: "Which mirror do the others copy? They are compared with it",
            initialValue: "",
            options: [
              { value: "", label: "None, or not known: compare with the majority" },
              ...mirror.map((url) => ({ value: url, label: url })),
            ],
          }),
        ));
  const isPrivate = [...mirror, ...control].some((url) => privateUrlProblem(url) !== undefined);
  const allowPrivate =
    flags.allowPrivate ??
    (isPrivate &&
      (await answerOf(terminal, interrupt, (options) =>
        confirm({
          ...options,
          message:
            "A URL is in a private network. Probe private addresses (probe.allowPrivate)? Answer no if others may edit mirrors.json",
          initialValue: false,
        }),
      )));
  outro("That is all.", terminal);
  return {
    ...{
      mirror,
      system,
      project,
      target,
      host,
      url: emptyToUndefined(url),
      title: emptyToUndefined(title),
      interval,
    },
    ...{ control, primary: emptyToUndefined(primary), allowPrivate },
  };
}

async function askControl(ask: (question: TextQuestion) => Promise<string>): Promise<string[]> {
  const control = await ask({
    message: "A URL other than a mirror that always answers, to know when your own network is down",
    problem: controlProblem,
    ifEmpty: "leave it empty to have none",
  });
  return control === "" ? [] : [control];
}

/** Returns how the site gets to a host, and what the host can answer. */
function hintOf({ delivery, capabilities: { forbidden } }: Host): string {
  return `${delivery.summary}; ${forbidden === "full" ? "the whole contract" : "404 instead of 403 and 400"}`;
}

async function askMirrors(ask: (question: TextQuestion) => Promise<string>): Promise<string[]> {
  const mirrors: string[] = [];
  for (;;) {
    const isFirst = mirrors.length === 0;
    const mirror = await ask({
      message: isFirst ? "The URL of a mirror" : "The URL of another mirror with the same content",
      problem: (url) => mirrorProblem(url, mirrors),
      ifEmpty: isFirst ? undefined : "leave it empty to go on",
    });
    if (mirror === "") return mirrors;
    mirrors.push(mirror);
  }
}

function promptOf({ message, problem, initialValue, ifEmpty }: TextQuestion) {
  return {
    message,
    validate: (answer: string | undefined = ""): string | undefined =>
      answer === "" && ifEmpty !== undefined ? undefined : problem(answer),
    ...(initialValue === undefined ? {} : { initialValue }),
    ...(ifEmpty === undefined ? {} : { placeholder: ifEmpty }),
  };
}

/** Returns the answer to one prompt. Throws Interrupted on Ctrl-C, Ctrl-D, the end of the input or the interrupt. */
async function answerOf<Answer>(
  terminal: Terminal,
  interrupt: AbortSignal,
  ask: (options: PromptOptions) => Promise<Answer | typeof CANCEL_SYMBOL>,
): Promise<Answer> {
  const { input } = terminal;
  const controller = new AbortController();
  const end = (): void => {
    controller.abort();
  };
  const endOnKey = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string }): void => {
    if (key.ctrl === true && key.name === "d") end();
  };
  if (interrupt.aborted || input.readableEnded) end();
  interrupt.addEventListener("abort", end);
  input.on("end", end);
  input.on("keypress", endOnKey);
  try {
    const answer = await ask({ ...terminal, signal: controller.signal });
    if (answer === CANCEL_SYMBOL) throw new Interrupted();
    return answer;
  } finally {
    interrupt.removeEventListener("abort", end);
    input.off("end", end);
    input.off("keypress", endOnKey);
  }
}

/** Returns the last two names in the path of a URL, for a project and a target. An invalid name is undefined. */
function suggestNames(url: string): readonly (string | undefined)[] {
  const parsed = parseUrl(url);
  const path = parsed === undefined ? "" : mirrorPath(defaultKind, parsed);
  const names = path.split("/").filter((name) => name !== "");
  return [names.at(-2), names.at(-1)].map((name) => {
    const lower = name?.toLowerCase();
    return lower === undefined || nameProblem(lower) !== undefined ? undefined : lower;
  });
}

function emptyToUndefined(text: string): string | undefined {
  return text === "" ? undefined : text;
}
