import { devNull } from "node:os";
import type { Environment } from "./child-process.ts";

/** How Git reaches a remote. Its other variables name a repository or print what is sent. */
const reach = /^GIT_(?:SSH|SSL_|HTTP_|PROXY_|ALLOW_PROTOCOL$|EXEC_PATH$)/;
const configuration = /^GIT_(?:CONFIG_|ASKPASS$)/;
const secret = /^(?:MIRRORFEED|GITHUB)_TOKEN$/;

/** Git never prompts, traces or translates. */
const quiet: Environment = {
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  GIT_TRACE2: "0",
  GIT_TRACE2_EVENT: "0",
  GIT_TRACE2_PERF: "0",
  LC_ALL: "C",
  LANGUAGE: "",
};

/** Returns the environment of a Git that takes nothing from the user but how to reach a remote. */
export function environmentWithoutUser(environment: Environment): Environment {
  const kept = only(environment, (name) => reach.test(name));
  return {
    // ssh asks for no password, unless the user has Git run another program.
    GIT_SSH_COMMAND: kept["GIT_SSH"] === undefined ? "ssh -oBatchMode=yes" : undefined,
    ...kept,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_DEFAULT_HASH: "sha1",
    // If it is set but empty, Git does not run SSH_ASKPASS instead.
    GIT_ASKPASS: "",
    ...quiet,
  };
}

/** Returns the environment of a Git with the user's configuration, keys, helpers and proxies, but without tokens. */
export function environmentOfUser(environment: Environment): Environment {
  return { ...only(environment, (name) => reach.test(name) || configuration.test(name)), ...quiet };
}

/** The settings of every Git that mirrorfeed runs, by their names in git-config(1). */
const commonSettings = {
  // A temporary repository needs neither background maintenance nor a safe disk.
  "gc.auto": "0",
  "maintenance.auto": "false",
  "core.fsync": "none",
  // Fetched objects stay packed, since they are sent on. A few packs are written faster than many files.
  "transfer.unpackLimit": "1",
  "fastimport.unpackLimit": "0",
  "core.hooksPath": devNull,
  "color.ui": "false",
  "color.remote": "false",
  "push.gpgSign": "false",
  "push.followTags": "false",
  // In a container the checkout often belongs to another user. Only its origin and its committer are read.
  "safe.directory": "*",
};

/** Returns an environment with mirrorfeed's settings of Git and more. They are in no file and on no command line. */
export function withSettings(
  environment: Environment,
  more: Readonly<Record<string, string>> = {},
): Environment {
  const first = Number(environment["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const settings = Object.entries({ ...commonSettings, ...more });
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

/** Drops tokens and all Git variables that are not listed. */
function only(environment: Environment, isChosen: (name: string) => boolean): Environment {
  const isLeft = (name: string): boolean =>
    !secret.test(name) && (!name.startsWith("GIT_") || isChosen(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isLeft(name)));
}
