import { devNull } from "node:os";
import { join } from "node:path";
import { InputError } from "../errors.ts";
import { basicCredentials, type Environment, type Remote, tokenFor } from "../git-remote.ts";
import { quote } from "../quote.ts";
import { type Ended, runProgram } from "./program.ts";

/** Runs git; an exit code is a value. Throws as `runProgram` does. */
export type Git = (...parameters: readonly string[]) => Promise<Ended>;

/** What bounds every git of one publication. */
export interface Bounds {
  readonly signal: AbortSignal;
  readonly silenceMs: number;
}

/** What of the user's variables may steer a git that talks to a remote: none names a repository, none traces. */
const wanted = /^GIT_(?:CONFIG_|SSH|SSL_|HTTP_|PROXY_|ASKPASS$|ALLOW_PROTOCOL$|EXEC_PATH$)/;
const identity = /^GIT_(?:AUTHOR|COMMITTER)_/;
/** A repository that is removed at the end needs no tidying, which would go on behind our back, and no safe disk. */
const temporary: readonly [string, string][] = [
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["core.fsync", "none"],
  // A few files in a pack are written faster than as many files.
  ["fastimport.unpackLimit", "0"],
  // It would look for files that an index says not to look for.
  ["core.preloadIndex", "false"],
];

const secret = /^(?:MIRRORFEED|GITHUB)_TOKEN$/;

/**
 * A git for the network, and for what the user has configured: it has their keys, helpers and proxies. For a remote
 * it has the token too, in its environment alone, and whatever it says is rid of it.
 */
export function userGit(environment: Environment, bounds: Bounds, remote?: Remote): Git {
  const token = remote && tokenFor(remote, environment);
  const credentials = token === undefined ? undefined : basicCredentials(token);
  const settings: [string, string][] = [
    ...temporary,
    ["core.hooksPath", devNull],
    ["color.ui", "false"],
    ["color.remote", "false"],
    ["push.gpgSign", "false"],
    ["push.followTags", "false"],
  ];
  if (remote?.origin !== undefined && credentials !== undefined) {
    settings.push(
      [`http.${remote.origin}/.extraheader`, `Authorization: Basic ${credentials}`],
      // A token is for this host, wherever it may point to; and where it fails no other is tried.
      ["http.followRedirects", "false"],
      ["credential.helper", ""],
    );
  }
  const env = {
    ...without(environment, (name) => name.startsWith("GIT_") && !wanted.test(name)),
    ...inEnvironment(settings, environment),
    GIT_TERMINAL_PROMPT: "0",
    GCM_INTERACTIVE: "never",
    GIT_TRACE2: "0",
    GIT_TRACE2_EVENT: "0",
    GIT_TRACE2_PERF: "0",
    LC_ALL: "C",
    LANGUAGE: "",
  };
  const git = gitWith(env, bounds);
  const hidden = [token, credentials].filter((text) => text !== undefined);
  /** A remote may repeat what it was sent, and git what the user has configured. */
  const hide = (text: string): string =>
    hidden.reduce((rest, one) => rest.replaceAll(one, "…"), text).replaceAll(/:\/\/[^/@\s]+@/g, "://");
  return async (...parameters) => {
    const ended = await git(...parameters);
    const output = ended.code === 0 ? ended.output : Buffer.from(hide(ended.output.toString()));
    return { ...ended, output, complaint: hide(ended.complaint) };
  };
}

/**
 * The environment of a git, and of gh-pages, that knows nothing of the user but who they are: no configuration, no
 * ignored files, no conversions. Everything it keeps is inside `home`, and all objects are in the one repository there.
 */
export function isolated(environment: Environment, home: string, format: ObjectFormat): Environment {
  return {
    ...without(environment, (name) => name.startsWith("GIT_") && !identity.test(name)),
    ...inEnvironment(temporary, {}),
    HOME: home,
    XDG_CONFIG_HOME: home,
    CACHE_DIR: cacheOf(home),
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TEMPLATE_DIR: join(home, "template"),
    GIT_OBJECT_DIRECTORY: join(repositoryOf(home), "objects"),
    GIT_DEFAULT_HASH: format,
    GIT_LITERAL_PATHSPECS: "1",
    GIT_TERMINAL_PROMPT: "0",
    LC_ALL: "C",
    LANGUAGE: "",
  };
}

/** The repository in which a publication is prepared. */
export function repositoryOf(home: string): string {
  return join(home, "site.git");
}

/** The folder that gh-pages clones into. */
export function cacheOf(home: string): string {
  return join(home, "cache");
}

/** A git with exactly these variables. */
export function gitWith(environment: Environment, bounds: Bounds): Git {
  return (...parameters) => runProgram({ program: "git", parameters, environment, ...bounds });
}

/** How a repository names its objects. */
export type ObjectFormat = "sha1" | "sha256";

/** The bytes that git printed, as text. Throws InputError with the failure and git's reason where it failed. */
export function textOf(ended: Ended, failure: string): string {
  if (ended.code === 0) return ended.output.toString().trimEnd();
  throw new InputError(`${failure}: ${reasonOf(ended)}.`);
}

/** What the other side, or git, says of a failure: in quotes, escaped and short. */
export function reasonOf({ code, isSilent, output, complaint }: Ended): string {
  if (isSilent) return "it gave no sign of life for too long";
  const lines = complaint.split(/[\r\n]+/).map((line) => line.trim());
  const remote = lines
    .filter((line) => /^remote: ./.test(line))
    .map((line) => line.slice("remote: ".length).trim());
  const rejected = /^!\t[^\t]*\t(?<summary>.*)$/m.exec(output.toString())?.groups?.["summary"];
  const fatal = lines.filter((line) => /^(?:fatal|error): /.test(line));
  const said = [remote.slice(-3).join(" "), rejected, fatal[0], lines.findLast((line) => line !== "")];
  const reason = said.find((text) => text !== undefined && text !== "");
  return reason === undefined ? `git ended with ${code ?? "a signal"}` : quote(reason);
}

function without(environment: Environment, isLeftOut: (name: string) => boolean): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !isLeftOut(name) && !secret.test(name)),
  );
}

/** Settings for git by environment, after those that are there: they are on no command line and in no file. */
function inEnvironment(settings: readonly [string, string][], environment: Environment): Environment {
  const first = Number(environment["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const variables = settings.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...Object.fromEntries(variables), GIT_CONFIG_COUNT: String(first + settings.length) };
}
