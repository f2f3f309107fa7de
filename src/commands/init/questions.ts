import { CANCEL_SYMBOL, confirm, intro, outro, select, text } from "@clack/prompts";
import { nameProblem } from "../../base/text/name.ts";
import { parseUrl } from "../../base/text/url.ts";
import { Interrupted } from "../../base/errors.ts";
import { findHost, hosts } from "../../hosts/registry.ts";
import { defaultKind, mirrorPath } from "../../kinds/kinds.ts";
import { isPrivateUrl } from "../../config/warnings.ts";
import { controlProblem, defaultAnswers, answerProblems, type InitFlags, mirrorProblem } from "./answers.ts";
import type { Terminal } from "../../base/terminal/context.ts";

interface TextQuestion {
  readonly message: string;
  readonly problem: (text: string) => string | undefined;
  readonly initialValue?: string | undefined;
  /** Shown while the answer is empty. If set, an empty answer is valid. */
  readonly ifEmpty?: string | undefined;
}

/** Asks one question with the functions of @clack/prompts. */
type Ask = <Answer>(
  prompt: (means: Terminal & { readonly signal: AbortSignal }) => Promise<Answer | typeof CANCEL_SYMBOL>,
) => Promise<Answer>;

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
  const ask: Ask = (prompt) => answerOf(terminal, interrupt, prompt);
  const askText = ({ message, problem, initialValue, ifEmpty }: TextQuestion): Promise<string> =>
    ask((means) =>
      text({
        ...means,
        message,
        validate: (answer = "") => (answer === "" && ifEmpty !== undefined ? undefined : problem(answer)),
        ...(initialValue === undefined ? {} : { initialValue }),
        ...(ifEmpty === undefined ? {} : { placeholder: ifEmpty }),
      }),
    );
  const askName = (level: "system" | "project" | "target", initialValue?: string): Promise<string> =>
    askText({ message: `The name of the ${level}`, problem: nameProblem, initialValue });

  intro("A new feed", terminal);
  const mirror = flags.mirror ?? (await askMirrors(askText));
  const [organization, repository] = suggestNames(mirror[0] ?? "");
  const system = flags.system ?? (await askName("system", "community"));
  const project = flags.project ?? (await askName("project", organization));
  const target = flags.target ?? (await askName("target", repository));
  const host = flags.host ?? (await askHost(ask));
  const url =
    flags.url ??
    (await askText({
      message: "At which URL, including its path?",
      problem: (text) => answerProblems.url(text, { host }),
      initialValue: findHost(host)?.urlOfRemote?.(remote),
      ifEmpty: "leave it empty if you do not know it yet",
    }));
  const title =
    flags.title ??
    (await askText({
      message: "The title of its page",
      problem: (text) => answerProblems.title(text, { host }),
      ifEmpty: "Mirror status",
    }));
  const interval =
    flags.interval ??
    (await askText({
      message: "How often should it be refreshed?",
      problem: (text) => answerProblems.interval(text, { host }),
      initialValue: defaultAnswers.interval,
    }));
  const control = flags.control ?? (await askControl(askText));
  const primary = flags.primary ?? (mirror.length < 2 ? "" : await askPrimary(ask, mirror));
  const isPrivate = [...mirror, ...control].some(isPrivateUrl);
  const allowPrivate = flags.allowPrivate ?? (isPrivate && (await askPrivate(ask)));
  outro("That is all.", terminal);
  return {
    ...{ mirror, system, project, target, host, interval, control, allowPrivate },
    ...{ url: url || undefined, title: title || undefined, primary: primary || undefined },
  };
}

async function askMirrors(askText: (question: TextQuestion) => Promise<string>): Promise<string[]> {
  const mirrors: string[] = [];
  for (;;) {
    const isFirst = mirrors.length === 0;
    const mirror = await askText({
      message: isFirst ? "The URL of a mirror" : "The URL of another mirror with the same content",
      problem: (url) => mirrorProblem(url, mirrors),
      ifEmpty: isFirst ? undefined : "leave it empty to continue",
    });
    if (mirror === "") return mirrors;
    mirrors.push(mirror);
  }
}

/** Says how the site gets to each host, and what the host can answer. */
function askHost(ask: Ask): Promise<string> {
  const options = hosts.map(({ name, title, delivery, capabilities: { forbidden } }) => {
    const answers = forbidden === "full" ? "the whole contract" : "404 instead of 403 and 400";
    return { value: name, label: `${title} (${delivery.summary}; ${answers})` };
  });
  const initialValue = defaultAnswers.host;
  return ask((means) =>
    select({ ...means, message: "Where will the feed be published?", initialValue, options }),
  );
}

async function askControl(askText: (question: TextQuestion) => Promise<string>): Promise<string[]> {
  const control = await askText({
    message: "A URL that always answers and isn't a mirror, to tell when your own network is down",
    problem: controlProblem,
    ifEmpty: "leave it empty for none",
  });
  return control === "" ? [] : [control];
}

function askPrimary(ask: Ask, mirrors: readonly string[]): Promise<string> {
  const message = "Which mirror do the others copy? They are compared with it";
  const none = { value: "", label: "None, or unknown: compare with the majority" };
  const options = [none, ...mirrors.map((url) => ({ value: url, label: url }))];
  return ask((means) => select({ ...means, message, initialValue: "", options }));
}

function askPrivate(ask: Ask): Promise<boolean> {
  const message =
    "A URL is in a private network. Probe private addresses (probe.allowPrivate)? Answer no if others may edit mirrors.json";
  return ask((means) => confirm({ ...means, message, initialValue: false }));
}

/** Returns the answer to one prompt. Throws Interrupted on Ctrl-C, Ctrl-D, the end of the input or the interrupt. */
async function answerOf<Answer>(
  terminal: Terminal,
  interrupt: AbortSignal,
  prompt: (means: Terminal & { readonly signal: AbortSignal }) => Promise<Answer | typeof CANCEL_SYMBOL>,
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
    const answer = await prompt({ ...terminal, signal: controller.signal });
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
  const names = path
    .toLowerCase()
    .split("/")
    .filter((name) => name !== "");
  return [names.at(-2), names.at(-1)].map((name = "") =>
    nameProblem(name) === undefined ? name : undefined,
  );
}
