import { devNull } from "node:os";
import type { Environment } from "./child-process.ts";

/** How Git reaches a remote. Other variables could name a repository, or print what is sent. */
const reach = /^GIT_(?:SSH|SSL_|HTTP_|PROXY_|ALLOW_PROTOCOL$|EXEC_PATH$)/;
const configuration = /^GIT_(?:CONFIG_|ASKPASS$)/;
const secret = /^(?:MIRRORFEED|GITHUB)_TOKEN$/;

/** Keeps Git from prompting, tracing and translating its messages. */
const quiet: Environment = {
  GIT_TERMINAL_PROMPT: "0",
  GCM_INTERACTIVE: "never",
  GIT_TRACE2: "0",
  GIT_TRACE2_EVENT: "0",
  GIT_TRACE2_PERF: "0",
  LC_ALL: "C",
  LANGUAGE: "",
};

/** Returns an environment in which Git ignores the user's settings, except for how to reach a remote. */
export function environmentWithoutUser(environment: Environment): Environment {
  const kept = only(environment, (name) => reach.test(name));
  return {
    // Keeps ssh from asking for a password. Left out if GIT_SSH is set, because GIT_SSH_COMMAND would override it.
    GIT_SSH_COMMAND: kept["GIT_SSH"] === undefined ? "ssh -oBatchMode=yes" : undefined,
    ...kept,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_DEFAULT_HASH: "sha1",
    // If this variable were unset, Git would run SSH_ASKPASS instead.
    GIT_ASKPASS: "",
    ...quiet,
  };
}

/** Returns an environment in which Git has the user's configuration, keys, helpers and proxies, but no tokens. */
export function environmentOfUser(environment: Environment): Environment {
  return { ...only(environment, (name) => reach.test(name) || configuration.test(name)), ...quiet };
}

/** Settings for every Git process that mirrorfeed starts, named as in git-config(1). */
const commonSettings = {
  // A temporary repository needs neither background maintenance nor protection from power failures.
  "gc.auto": "0",
  "maintenance.auto": "false",
  "core.fsync": "none",
  // Writing a few packs is faster than writing many files.
  "transfer.unpackLimit": "1",
  "fastimport.unpackLimit": "0",
  "core.hooksPath": devNull,
  "color.ui": "false",
  "color.remote": "false",
  "push.gpgSign": "false",
  "push.followTags": "false",
  // In a container, the checkout often belongs to a different user, and Git would refuse to use it.
  "safe.directory": "*",
};

/** Adds mirrorfeed's Git settings and those in `more` to an environment, where Git reads them. */
export function withSettings(environment: Environment, more: Readonly<Record<string, string>> = {}) {
  const first = Number(environment["GIT_CONFIG_COUNT"] ?? 0) || 0;
  const settings = Object.entries({ ...commonSettings, ...more });
  const added = settings.flatMap(([key, value], index): [string, string][] => [
    [`GIT_CONFIG_KEY_${first + index}`, key],
    [`GIT_CONFIG_VALUE_${first + index}`, value],
  ]);
  return { ...environment, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(first + settings.length) };
}

/** Returns an environment without tokens. Of Git's own variables, it keeps only those that `isChosen` accepts. */
function only(environment: Environment, isChosen: (name: string) => boolean): Environment {
  const isKept = (name: string): boolean =>
    !secret.test(name) && (!name.startsWith("GIT_") || isChosen(name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => isKept(name)));
}
