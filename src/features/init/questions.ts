import { CANCEL_SYMBOL, confirm, intro, outro, select, text } from "@clack/prompts";
import { nameProblem } from "../../core/base/text/name.ts";
import { parseUrl } from "../../core/base/text/url.ts";
import { Interrupted } from "../../core/base/errors.ts";
import { findHost, hosts } from "../hosts/host-registry.ts";
import { defaultKind, type KindName, kindNames, kinds, mirrorPath } from "../../core/kinds/kinds.ts";
import { isPrivateUrl } from "../../core/config/warnings.ts";
import { controlProblem, defaultAnswers, answerProblems, type InitFlags, mirrorProblem } from "./answers.ts";
import type { Terminal } from "../../core/base/terminal/context.ts";

interface TextQuestion {
  readonly message: string;
  readonly problem: (text: string) => string | undefined;
  readonly initialValue?: string | undefined;
  /** Placeholder text. If set, an empty answer is valid. */
  readonly ifEmpty?: string | undefined;
}

type AskText = (question: TextQuestion) => Promise<string>;

/** Asks one question with @clack/prompts. */
type Ask = <Answer>(
  prompt: (means: Terminal & { readonly signal: AbortSignal }) => Promise<Answer | typeof CANCEL_SYMBOL>,
) => Promise<Answer>;

/**
 * Asks for each missing flag and returns all flags. An invalid answer is refused with the reason. Throws Interrupted if
 * the user or a signal ends the questions.
 */
export async function askMissing(
  flags: InitFlags,
  terminal: Terminal,
  interrupt: AbortSignal,
  remote = "",
): Promise<InitFlags> {
  interrupt.throwIfAborted();
  const ask: Ask = (prompt) => answerOf(terminal, interrupt, prompt);
  const askText: AskText = ({ message, problem, initialValue, ifEmpty }) =>
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
  const kind = flags.kind ?? (await askKind(ask));
  const suite = flags.suite ?? (kind === "apt" ? await askSuite(askText) : "");
  const mirror = flags.mirror ?? (await askMirrors(askText, kind));
  const suggested = suggestNames(mirror[0] ?? "", kind, suite);
  const system = flags.system ?? (await askName("system", "community"));
  const project = flags.project ?? (await askName("project", suggested.project));
  const target = flags.target ?? (await askName("target", suggested.target));
  const host = flags.host ?? (await askHost(ask));
  const url =
    flags.url ??
    (await askText({
      message: "The site's URL, with its path",
      problem: (text) => answerProblems.url(text, { host }),
      initialValue: findHost(host)?.urlOfRemote?.(remote),
      ifEmpty: "leave it empty if you don't know it yet",
    }));
  const title =
    flags.title ??
    (await askText({
      message: "The title of the status page",
      problem: (text) => answerProblems.title(text, { host }),
      ifEmpty: "leave it empty for Mirror status",
    }));
  const interval =
    flags.interval ??
    (await askText({
      message: "How often should the mirrors be probed?",
      problem: (text) => answerProblems.interval(text, { host }),
      initialValue: defaultAnswers.interval,
    }));
  const control = flags.control ?? (await askControl(askText));
  const primary = flags.primary ?? (mirror.length < 2 ? "" : await askPrimary(ask, mirror));
  const isPrivate = [...mirror, ...control].some(isPrivateUrl);
  const allowPrivate = flags.allowPrivate ?? (isPrivate && (await askPrivate(ask)));
  outro("Done.", terminal);
  return {
    ...{ kind, mirror, system, project, target, host, interval, control, allowPrivate },
    ...{
      suite: suite || undefined,
      url: url || undefined,
      title: title || undefined,
      primary: primary || undefined,
    },
  };
}

function askKind(ask: Ask): Promise<KindName> {
  const options = kindNames.map((name) => ({ value: name, label: kinds[name].label }));
  return ask((means) =>
    select({ ...means, message: "What do the mirrors contain?", initialValue: defaultKind, options }),
  );
}

function askSuite(askText: AskText): Promise<string> {
  return askText({
    message: "The suite to check, such as bookworm",
    problem: (suite) => answerProblems.suite(suite, { kind: "apt" }),
    ifEmpty: `leave it empty for ${defaultAnswers.suite}`,
  });
}

async function askMirrors(askText: AskText, kind: string): Promise<string[]> {
  const mirrors: string[] = [];
  for (;;) {
    const isFirst = mirrors.length === 0;
    const mirror = await askText({
      message: isFirst ? "The URL of a mirror" : "The URL of another mirror with the same content",
      problem: (url) => mirrorProblem(url, mirrors, kind),
      ifEmpty: isFirst ? undefined : "leave it empty to continue",
    });
    if (mirror === "") return mirrors;
    mirrors.push(mirror);
  }
}

/** Each label says how the site gets to the host and how the host answers requests for unknown names. */
function askHost(ask: Ask): Promise<string> {
  const options = hosts.map(({ name, title, delivery, capabilities: { forbidden } }) => {
    const answers = forbidden === "full" ? "unknown names get a 403" : "unknown names get a 404";
    return { value: name, label: `${title} (${delivery.summary}; ${answers})` };
  });
  const initialValue = defaultAnswers.host;
  return ask((means) =>
    select({ ...means, message: "Where will the feed be published?", initialValue, options }),
  );
}

async function askControl(askText: AskText): Promise<string[]> {
  const control = await askText({
    message: "A URL that always answers and isn't a mirror, to tell when your own network is down",
    problem: controlProblem,
    ifEmpty: "leave it empty for none",
  });
  return control === "" ? [] : [control];
}

function askPrimary(ask: Ask, mirrors: readonly string[]): Promise<string> {
  const message = "Which mirror do the others copy? The others are compared with it";
  const none = { value: "", label: "None, or unknown: compare with the majority" };
  const options = [none, ...mirrors.map((url) => ({ value: url, label: url }))];
  return ask((means) => select({ ...means, message, initialValue: "", options }));
}

function askPrivate(ask: Ask): Promise<boolean> {
  const message =
    "A URL is in a private network. Probe private addresses (probe.allowPrivate)? Answer no if others can edit mirrors.json";
  return ask((means) => confirm({ ...means, message, initialValue: false }));
}

/** Throws Interrupted on Ctrl-C, Ctrl-D, the end of the input or a signal. */
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

/**
 * Suggests names for the project and the target: the last two parts of a mirror's path or, for apt, the last part and
 * the suite. Returns undefined in place of a name that is not valid.
 */
function suggestNames(url: string, kind: string, suite: string) {
  const parsed = parseUrl(url);
  const path = parsed === undefined ? "" : mirrorPath(defaultKind, parsed);
  const names = path.toLowerCase().split("/").filter(Boolean);
  if (kind === "apt") names.push(suite || defaultAnswers.suite);
  const [target, project] = names
    .reverse()
    .map((name) => (nameProblem(name) === undefined ? name : undefined));
  return { project, target };
}
