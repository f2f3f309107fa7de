import { devNull } from "node:os";
import type { Environment } from "./git-remote.ts";

/** The user's variables that say how a remote is reached; others name a repository, or print what is sent. */
const kept = /^GIT_(?:SSH|SSL_|PROXY_|HTTP_PROXY_AUTHMETHOD$|EXEC_PATH$)/;
const secret = /^(?:MIRRORFEED|GITHUB)_TOKEN$/;

/** The variables of a git that works in a repository, and of the one that talks to a remote with credentials. */
export function gitEnvironment(
  environment: Environment,
  repository: string | undefined,
  origin: string | undefined,
  credentials: string | undefined,
): Environment {
  const settings = [
    ["core.hooksPath", devNull],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    // What is fetched stays packed, as it is sent on.
    ["transfer.unpackLimit", "1"],
    // In a container the checkout is often another user's; all that is read of it is its origin.
    ["safe.directory", "*"],
    ["user.name", "mirrorfeed"],
    // No address of anybody's: hosts link commits to accounts by it (RFC 2606).
    ["user.email", "mirrorfeed@mirrorfeed.invalid"],
  ];
  if (origin !== undefined && credentials !== undefined) {
    settings.push([`http.${origin}/.extraheader`, `Authorization: Basic ${credentials}`]);
    // git would send the header on to wherever the remote points.
    settings.push(["http.followRedirects", "false"]);
  }
  const isPassed = (name: string): boolean =>
    !secret.test(name) && (!name.startsWith("GIT_") || kept.test(name));
  return {
    GIT_SSH_COMMAND: environment["GIT_SSH"] === undefined ? "ssh -oBatchMode=yes" : undefined,
    ...Object.fromEntries(Object.entries(environment).filter(([name]) => isPassed(name))),
    GIT_DIR: repository,
    GIT_CONFIG_GLOBAL: devNull,
    GIT_CONFIG_SYSTEM: devNull,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
    GIT_TERMINAL_PROMPT: "0",
    // Set and empty, it keeps git from asking SSH_ASKPASS instead.
    GIT_ASKPASS: "",
    LC_ALL: "C",
    LANGUAGE: "",
  };
}
