import { devNull } from "node:os";
import type { Environment } from "./child.ts";

/** How a remote is reached; other variables of git name a repository, or print what is sent. */
const reach = /^GIT_(?:SSH|SSL_|HTTP_|PROXY_|ALLOW_PROTOCOL$|EXEC_PATH$)/;
const configuration = /^GIT_(?:CONFIG_|ASKPASS$)/;
const secret = /^(?:MIRRORFEED|GITHUB)_TOKEN$/;

/** No git asks, traces or translates. */
const quiet: Environment = {
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  GIT_TRACE2: "0",
  GIT_TRACE2_EVENT: "0",
  GIT_TRACE2_PERF: "0",
  LC_ALL: "C",
  LANGUAGE: "",
};

/**
 * The environment of a git that knows nothing of the user, but for how they reach a remote: no configuration, no
 * repository that it is called in, no token.
 */
export function environmentWithoutUser(environment: Environment): Environment {
  const kept = only(environment, (name) => reach.test(name));
  return {
    // It asks for no password, unless the user has it run by a program of their own.
    GIT_SSH_COMMAND: kept["GIT_SSH"] === undefined ? "ssh -oBatchMode=yes" : undefined,
    ...kept,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_DEFAULT_HASH: "sha1",
    // Set and empty, it keeps git from asking SSH_ASKPASS instead.
    GIT_ASKPASS: "",
    ...quiet,
  };
}

/** The environment of a git as the user has configured it, with their keys, helpers and proxies, but no token. */
export function environmentOfUser(environment: Environment): Environment {
  return { ...only(environment, (name) => reach.test(name) || configuration.test(name)), ...quiet };
}

/** The settings of every git of ours, by their names in git-config(1). */
const ours = {
  // A repository that is removed at the end needs no tidying, which would go on behind our back, and no safe disk.
  "gc.auto": "0",
  "maintenance.auto": "false",
  "core.fsync": "none",
  // What is fetched stays packed, as it is sent on; a few files in a pack are written faster than as many files.
  "transfer.unpackLimit": "1",
  "fastimport.unpackLimit": "0",
  // It would look for files that an index says not to look for.
  "core.preloadIndex": "false",
  "core.hooksPath": devNull,
  "color.ui": "false",
  "color.remote": "false",
  "push.gpgSign": "false",
  "push.followTags": "false",
  // In a container the checkout is often another user's; all that is read of it is its origin, and who commits.
  "safe.directory": "*",
};

/** An environment with the settings of every git of ours and with more; they are in no file and on no command line. */
export function withSettings(
  environment: Environment,
  more: Readonly<Record<string, string>> = {},
): Environment {
  const first = Number(environment["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const settings = Object.entries({ ...ours, ...more });
  const variables = settings.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return {
    ...environment,
    ...Object.fromEntries(variables),
    GIT_CONFIG_COUNT: String(first + settings.length),
  };
}

/** Without git's variables that are not chosen, and without tokens. */
function only(environment: Environment, isChosen: (name: string) => boolean): Environment {
  const isLeft = (name: string): boolean =>
    !secret.test(name) && (!name.startsWith("GIT_") || isChosen(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isLeft(name)));
}
