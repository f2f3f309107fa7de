import type { Readable, Writable } from "node:stream";
import { CANCEL_SYMBOL, intro, outro, select, text } from "@clack/prompts";
import { nameFault } from "../../config/name.ts";
import { hostNames } from "../../config/schema.ts";
import { parseUrl } from "../../config/url.ts";
import { Interrupted } from "../../errors.ts";
import { hosts } from "../../hosts/registry.ts";
import { defaults, faultOf, type InitFlags, mirrorFault } from "./answers.ts";

/** Where a person reads and writes. */
export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** What each question gets, so that it can be ended. */
interface Means extends Terminal {
  readonly signal: AbortSignal;
}

interface TextQuestion {
  readonly message: string;
  readonly fault: (text: string) => string | undefined;
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
): Promise<InitFlags> {
  interrupt.throwIfAborted();
  const ask = (question: TextQuestion): Promise<string> =>
    answered(terminal, interrupt, (means) => text({ ...means, ...promptOf(question) }));
  const askName = async (level: "system" | "project" | "target", suggestion?: string): Promise<string> =>
    flags[level] ??
    (await ask({ message: `The name of the ${level}`, fault: nameFault, initialValue: suggestion }));

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
        options: hostNames.map((name) => ({ value: name, label: hosts[name].title })),
      }),
    ));
  const url =
    flags.url ??
    (await ask({
      message: "At which url, with its path?",
      fault: faultOf.url,
      ifEmpty: "leave it empty where you do not know it yet",
    }));
  const title =
    flags.title ??
    (await ask({ message: "The title of its page", fault: faultOf.title, ifEmpty: "Mirror status" }));
  const schedule =
    flags.schedule ??
    (await ask({
      message: "How often is it refreshed?",
      fault: faultOf.schedule,
      initialValue: defaults.schedule,
    }));
  outro("That is all.", terminal);
  return { mirror, system, project, target, host, url: filled(url), title: filled(title), schedule };
}

async function askMirrors(ask: (question: TextQuestion) => Promise<string>): Promise<string[]> {
  const mirrors: string[] = [];
  for (;;) {
    const isFirst = mirrors.length === 0;
    const mirror = await ask({
      message: isFirst ? "The url of a mirror" : "The url of another mirror of the same",
      fault: (url) => mirrorFault(url, mirrors),
      ifEmpty: isFirst ? undefined : "leave it empty to go on",
    });
    if (mirror === "") return mirrors;
    mirrors.push(mirror);
  }
}

function promptOf({ message, fault, initialValue, ifEmpty }: TextQuestion) {
  return {
    message,
    validate: (answer: string | undefined = ""): string | undefined =>
      answer === "" && ifEmpty !== undefined ? undefined : fault(answer),
    ...(initialValue === undefined ? {} : { initialValue }),
    ...(ifEmpty === undefined ? {} : { placeholder: ifEmpty }),
  };
}

/** The answer to one question. Ctrl-C, Ctrl-D, the end of the input and the interrupt are Interrupted. */
async function answered<Answer>(
  terminal: Terminal,
  interrupt: AbortSignal,
  ask: (means: Means) => Promise<Answer | typeof CANCEL_SYMBOL>,
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
  const names = (parseUrl(url)?.pathname ?? "").split("/").filter((name) => name !== "");
  return [names.at(-2), names.at(-1)?.replace(/\.git$/, "")].map((name) => {
    const lower = name?.toLowerCase();
    return lower === undefined || nameFault(lower) !== undefined ? undefined : lower;
  });
}

function filled(text: string): string | undefined {
  return text === "" ? undefined : text;
}
