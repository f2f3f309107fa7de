import { CANCEL_SYMBOL, intro, outro, select, text } from "@clack/prompts";
import { nameProblem } from "../../core/base/text/name.ts";
import { parseUrl, siteUrlProblem } from "../../core/base/text/url.ts";
import { Interrupted } from "../../core/base/errors.ts";
import { defaultHost, type HostName } from "../../core/config/site-settings.ts";
import { hostOf, hosts } from "../hosts/host-registry.ts";
import { defaultKind, type KindName, kindNames, kinds, mirrorPath } from "../../core/kinds/kinds.ts";
import { defaultSuite, type InitFlags, mirrorProblem, suiteProblem } from "./answers.ts";
import type { Terminal } from "../../core/base/terminal/context.ts";

/** Where to ask, and what ends the questions. */
type Means = Terminal & { readonly signal: AbortSignal };

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
  const means = { ...terminal, signal: interrupt };
  intro("A new feed", terminal);
  const kind = flags.kind ?? (await askKind(means));
  const suite = flags.suite ?? (kind === "apt" ? await askSuite(means) : "");
  const mirror = flags.mirror ?? (await askMirrors(means, kind));
  const suggested = suggestNames(mirror[0] ?? "", kind, suite || defaultSuite);
  const askName = (level: string, initialValue?: string): Promise<string> =>
    askText(means, `The name of the ${level}`, nameProblem, { initialValue });
  const system = flags.system ?? (await askName("system", "community"));
  const project = flags.project ?? (await askName("project", suggested.project));
  const target = flags.target ?? (await askName("target", suggested.target));
  const host = hostOf(flags.host ?? (await askHost(means)));
  const url = flags.url ?? (await askUrl(means, host.urlOfRemote?.(remote)));
  const primary = flags.primary ?? (mirror.length > 1 ? await askPrimary(means, mirror) : "");
  outro("Done.", terminal);
  return {
    ...flags,
    ...{ kind, suite: suite || undefined, mirror, system, project, target, host: host.name },
    ...{ url: url || undefined, primary: primary || undefined },
  };
}

async function answerOf<Answer>(prompt: Promise<Answer | typeof CANCEL_SYMBOL>): Promise<Answer> {
  const answer = await prompt;
  if (answer === CANCEL_SYMBOL) throw new Interrupted();
  return answer;
}

/** If a placeholder says what an empty answer means, it is valid. */
function askText(
  means: Means,
  message: string,
  problemOf: (text: string) => string | undefined,
  {
    initialValue = "",
    placeholder = "",
  }: Partial<Record<"initialValue" | "placeholder", string | undefined>> = {},
): Promise<string> {
  const validate = (answer = ""): string | undefined =>
    answer === "" && placeholder !== "" ? undefined : problemOf(answer);
  return answerOf(text({ ...means, message, validate, initialValue, placeholder }));
}

function askSuite(means: Means): Promise<string> {
  const placeholder = `leave it empty for ${defaultSuite}`;
  return askText(means, "The suite to check, such as bookworm", suiteProblem, { placeholder });
}

function askUrl(means: Means, initialValue?: string): Promise<string> {
  const placeholder = "leave it empty if you don't know it yet";
  return askText(means, "The site's URL, with its path", siteUrlProblem, { initialValue, placeholder });
}

function askKind(means: Means): Promise<KindName> {
  const options = kindNames.map((name) => ({ value: name, label: kinds[name].label }));
  const message = "What do the mirrors contain?";
  return answerOf(select({ ...means, message, initialValue: defaultKind, options }));
}

async function askMirrors(means: Means, kind: KindName): Promise<string[]> {
  const mirrors: string[] = [];
  const problemOf = (url: string): string | undefined => mirrorProblem(url, mirrors, kind);
  mirrors.push(await askText(means, "The URL of a mirror", problemOf));
  const message = "The URL of another mirror with the same content";
  const placeholder = "leave it empty to continue";
  for (;;) {
    const mirror = await askText(means, message, problemOf, { placeholder });
    if (mirror === "") return mirrors;
    mirrors.push(mirror);
  }
}

/** Each label says how the site gets to the host and how the host answers requests for unknown names. */
function askHost(means: Means): Promise<HostName> {
  const options = hosts.map(({ name, title, delivery, capabilities: { forbidden } }) => {
    const answers = forbidden === "full" ? "unknown names get a 403" : "unknown names get a 404";
    return { value: name, label: `${title} (${delivery.summary}; ${answers})` };
  });
  const message = "Where will the feed be published?";
  return answerOf(select({ ...means, message, initialValue: defaultHost, options }));
}

function askPrimary(means: Means, mirrors: readonly string[]): Promise<string> {
  const message = "Which mirror do the others copy? The others are compared with it";
  const none = { value: "", label: "None, or unknown: compare with the majority" };
  const options = [none, ...mirrors.map((url) => ({ value: url, label: url }))];
  return answerOf(select({ ...means, message, initialValue: "", options }));
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
