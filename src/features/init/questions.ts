import { CANCEL_SYMBOL, intro, type Option, outro, select, text } from "@clack/prompts";
import { nameProblem } from "../../core/base/text/name.ts";
import { parseUrl, siteUrlProblem } from "../../core/base/text/url.ts";
import { Interrupted } from "../../core/base/errors.ts";
import { defaultHost } from "../../core/config/site-settings.ts";
import { hostOf, hosts } from "../hosts/host-registry.ts";
import { defaultKind, type KindName, kindNames, kinds, mirrorPath } from "../../core/kinds/kinds.ts";
import { defaultSuite, type InitFlags, mirrorProblem, suiteProblem } from "./answers.ts";
import type { Terminal } from "../../core/base/terminal/context.ts";

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
  const { ask, choose } = openPrompts({ ...terminal, signal: interrupt });
  intro("A new feed", terminal);
  const labels = kindNames.map((name) => ({ value: name, label: kinds[name].label }));
  const kind = flags.kind ?? (await choose("What do the mirrors contain?", defaultKind, labels));
  const suiteHint = { placeholder: `leave it empty for ${defaultSuite}` };
  const askSuite = () => ask("The suite to check, such as bookworm", suiteProblem, suiteHint);
  const suite = flags.suite ?? (kind === "apt" ? await askSuite() : "");
  const mirror = flags.mirror ?? (await askMirrors(ask, kind));
  const suggested = suggestNames(mirror[0] ?? "", kind, suite || defaultSuite);
  const askName = (level: string, initialValue?: string) =>
    ask(`The name of the ${level}`, nameProblem, { initialValue });
  const system = flags.system ?? (await askName("system", "community"));
  const project = flags.project ?? (await askName("project", suggested.project));
  const target = flags.target ?? (await askName("target", suggested.target));
  const host = hostOf(
    flags.host ?? (await choose("Where will the feed be published?", defaultHost, hostLabels())),
  );
  const placeholder = "leave it empty if you don't know it yet";
  const urlHints = { initialValue: host.urlOfRemote?.(remote), placeholder };
  const url = flags.url ?? (await ask("The site's URL, with its path", siteUrlProblem, urlHints));
  const question = "Which mirror do the others copy? The others are compared with it";
  const none = { value: "", label: "None, or unknown: compare with the majority" };
  const mirrors = [none, ...mirror.map((value) => ({ value, label: value }))];
  const primary = flags.primary ?? (mirror.length > 1 ? await choose(question, "", mirrors) : "");
  outro("Done.", terminal);
  return {
    ...flags,
    ...{ kind, suite: suite || undefined, mirror, system, project, target, host: host.name },
    ...{ url: url || undefined, primary: primary || undefined },
  };
}

type Hints = Partial<Record<"initialValue" | "placeholder", string | undefined>>;

type Ask = ReturnType<typeof openPrompts>["ask"];

function openPrompts(means: Terminal & { readonly signal: AbortSignal }) {
  const answerOf = async <Answer>(prompt: Promise<Answer | typeof CANCEL_SYMBOL>): Promise<Answer> => {
    const answer = await prompt;
    if (answer === CANCEL_SYMBOL) throw new Interrupted();
    return answer;
  };
  return {
    /** If a placeholder says what an empty answer means, it is valid. */
    ask: (
      message: string,
      problemOf: (text: string) => string | undefined,
      { initialValue = "", placeholder = "" }: Hints = {},
    ) => {
      const validate = (answer = ""): string | undefined =>
        answer === "" && placeholder !== "" ? undefined : problemOf(answer);
      return answerOf(text({ ...means, message, validate, initialValue, placeholder }));
    },
    choose: <Value>(message: string, initialValue: Value, options: Option<Value>[]) =>
      answerOf(select({ ...means, message, initialValue, options })),
  };
}

async function askMirrors(ask: Ask, kind: KindName): Promise<string[]> {
  const mirrors: string[] = [];
  const problemOf = (url: string): string | undefined => mirrorProblem(url, mirrors, kind);
  mirrors.push(await ask("The URL of a mirror", problemOf));
  const message = "The URL of another mirror with the same content";
  for (;;) {
    const mirror = await ask(message, problemOf, { placeholder: "leave it empty to continue" });
    if (mirror === "") return mirrors;
    mirrors.push(mirror);
  }
}

/** Each label says how the site gets to the host and how the host answers requests for unknown names. */
function hostLabels() {
  return hosts.map(({ name, title, delivery, capabilities: { errors } }) => {
    const answers = errors === "full" ? "unknown names get a 403" : "unknown names get a 404";
    return { value: name, label: `${title} (${delivery.summary}; ${answers})` };
  });
}

/**
 * Suggests names for the project and the target: the last two parts of a mirror's path or, for apt, the last part and
 * the suite. Returns undefined in place of a name that is not valid.
 */
function suggestNames(url: string, kind: KindName, suite: string) {
  const parsed = parseUrl(url);
  const path = parsed === undefined ? "" : mirrorPath(defaultKind, parsed);
  const names = path.toLowerCase().split("/").filter(Boolean);
  if (kind === "apt") names.push(suite);
  const [target, project] = names
    .reverse()
    .map((name) => (nameProblem(name) === undefined ? name : undefined));
  return { project, target };
}
