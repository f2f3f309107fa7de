import { CANCEL_SYMBOL, confirm, intro, outro, select, text } from "@clack/prompts";
import { nameProblem } from "../text/name.ts";
import { parseUrl } from "../text/url.ts";
import { Interrupted } from "../errors.ts";
import type { Host } from "../hosts/host.ts";
import { findHost, hosts } from "../hosts/registry.ts";
import { defaultKind, mirrorPath } from "../kinds/kinds.ts";
import { privateUrlProblem } from "../config/warnings.ts";
import { controlProblem, defaults, problemOf, type InitFlags, mirrorProblem } from "./answers.ts";
import type { Terminal } from "../terminal/context.ts";

/** What each question gets, so that it can be ended. */
interface PromptOptions extends Terminal {
  readonly signal: AbortSignal;
}

interface TextQuestion {
  readonly message: string;
  readonly problem: (text: string) => string | undefined;
  readonly initialValue?: string | undefined;
  /** Shown where the answer is empty, which then is right. */
  readonly ifEmpty?: string | undefined;
}

/**
 * The flags with an answer for each that is not given, asked of a person one after another. An answer that is not right
 * is told why and asked again. Throws Interrupted where the person or the process ends it.
 */
export async function askMissing(
  flags: InitFlags,
  terminal: Terminal,
  interrupt: AbortSignal,
  remote = "",
): Promise<InitFlags> {
  interrupt.throwIfAborted();
  const ask = (question: TextQuestion): Promise<string> =>
    answered(terminal, interrupt, (means) => text({ ...means, ...promptOf(question) }));
  const askName = async (level: "system" | "project" | "target", suggestion?: string): Promise<string> =>
    flags[level] ??
    (await ask({ message: `The name of the ${level}`, problem: nameProblem, initialValue: suggestion }));

  intro("A new feed", terminal);
  const mirror = flags.mirror ?? (await askMirrors(ask));
  const [organization, repository] = namesIn(mirror[0] ?? "");
  const system = await askName("system", "community");
  const project = await askName("project", organization);
  const target = await askName("target", repository);
  const host =
    flags.host ??
    (await answered(terminal, interrupt, (means) =>
      select({
        ...means,
        message: "Where will the feed be published?",
        initialValue: defaults.host,
        options: hosts.map((one) => ({ value: one.name, label: `${one.title} (${meaningOf(one)})` })),
      }),
    ));
  const url =
    flags.url ??
    (await ask({
      message: "At which url, with its path?",
      problem: problemOf.url,
      initialValue: findHost(host)?.urlOfRemote?.(remote),
      ifEmpty: "leave it empty where you do not know it yet",
    }));
  const title =
    flags.title ??
    (await ask({ message: "The title of its page", problem: problemOf.title, ifEmpty: "Mirror status" }));
  const schedule =
    flags.schedule ??
    (await ask({
      message: "How often is it refreshed?",
      problem: problemOf.schedule,
      initialValue: defaults.schedule,
    }));
  const control = flags.control ?? (await askControl(ask));
  const primary =
    flags.primary ??
    (mirror.length < 2
      ? ""
      : await answered(terminal, interrupt, (means) =>
          select({
            ...means,
            message: "Which mirror do the others copy? It tells which of them are behind",
            initialValue: "",
            options: [
              { value: "", label: "None, or not known: what most of them hold counts" },
              ...mirror.map((url) => ({ value: url, label: url })),
            ],
          }),
        ));
  const isPrivate = [...mirror, ...control].some((url) => privateUrlProblem(url) !== undefined);
  const allowPrivate =
    flags.allowPrivate ??
    (isPrivate &&
      (await answered(terminal, interrupt, (means) =>
        confirm({
          ...means,
          message:
            "A URL is in a private network. Probe private addresses (probe.allowPrivate)? Not if others may edit mirrors.json",
          initialValue: false,
        }),
      )));
  outro("That is all.", terminal);
  return {
    ...{ mirror, system, project, target, host, url: filled(url), title: filled(title), schedule },
    ...{ control, primary: filled(primary), allowPrivate },
  };
}

async function askControl(ask: (question: TextQuestion) => Promise<string>): Promise<string[]> {
  const control = await ask({
    message: "A url that is no mirror and always answers, to tell when your own network is down",
    problem: controlProblem,
    ifEmpty: "leave it empty to have none",
  });
  return control === "" ? [] : [control];
}

/** How the site gets to a host, and what the host can answer. */
function meaningOf({ delivery, capabilities: { forbidden } }: Host): string {
  return `${delivery.summary}; ${forbidden === "full" ? "the whole contract" : "404 in place of 403 and 400"}`;
}

async function askMirrors(ask: (question: TextQuestion) => Promise<string>): Promise<string[]> {
  const mirrors: string[] = [];
  for (;;) {
    const isFirst = mirrors.length === 0;
    const mirror = await ask({
      message: isFirst ? "The url of a mirror" : "The url of another mirror of the same",
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

/** The answer to one question. Ctrl-C, Ctrl-D, the end of the input and the interrupt are Interrupted. */
async function answered<Answer>(
  terminal: Terminal,
  interrupt: AbortSignal,
  ask: (means: PromptOptions) => Promise<Answer | typeof CANCEL_SYMBOL>,
): Promise<Answer> {
  const { input } = terminal;
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
  };
  const endByKey = (_: unknown, key: { readonly ctrl?: boolean; readonly name?: string }): void => {
    if (key.ctrl === true && key.name === "d") end();
  };
  if (interrupt.aborted || input.readableEnded) end();
  interrupt.addEventListener("abort", end);
  input.on("end", end);
  input.on("keypress", endByKey);
  try {
    const answer = await ask({ ...terminal, signal: ending.signal });
    if (answer === CANCEL_SYMBOL) throw new Interrupted();
    return answer;
  } finally {
    interrupt.removeEventListener("abort", end);
    input.off("end", end);
    input.off("keypress", endByKey);
  }
}

/** The last two names in the path of a url, as names of a project and a target; those that none may have are left out. */
function namesIn(url: string): readonly (string | undefined)[] {
  const parsed = parseUrl(url);
  const path = parsed === undefined ? "" : mirrorPath(defaultKind, parsed);
  const names = path.split("/").filter((name) => name !== "");
  return [names.at(-2), names.at(-1)].map((name) => {
    const lower = name?.toLowerCase();
    return lower === undefined || nameProblem(lower) !== undefined ? undefined : lower;
  });
}

function filled(text: string): string | undefined {
  return text === "" ? undefined : text;
}
