import { resolve } from "node:path";
import type { Environment } from "./child.ts";
import { InputError } from "./errors.ts";
import { hasInvisible, quote } from "./quote.ts";

/** A git remote whose address was checked: it holds no secret and can be shown. */
export interface Remote {
  readonly address: string;
  /** `https://HOST` where a token may be sent, undefined everywhere else. */
  readonly origin: string | undefined;
}

/**
 * The remote at an address: a url of https, http, ssh, git or file, `user@host:path` for ssh, or a path, which is made
 * absolute from the folder `base`. Throws InputError where it is none of these, and where it holds credentials, which
 * the message does not repeat.
 */
export function readRemote(address: string, base = "."): Remote {
  if (/^[\w+.-]+:\/\//.test(address)) return readUrl(address);
  if (address === "" || address.startsWith("-") || /^\w+::/.test(address) || hasInvisible(address)) {
    throw new InputError(`${quote(address)} is no git remote; give a url, host:path or a path.`);
  }
  return { address: isForSsh(address) ? address : resolve(base, address), origin: undefined };
}

function readUrl(address: string): Remote {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // A broken address is not repeated either: it may hold a password all the same.
  if (url === undefined || hasInvisible(address) || !/^(?:https?|ssh|git|file):$/.test(url.protocol)) {
    throw new InputError(
      "The remote is no url of https, http, ssh, git or file; write it as https://host/path.",
    );
  }
  const isWeb = /^https?:$/.test(url.protocol);
  if (url.password !== "" || (isWeb && url.username + url.search !== "")) {
    throw new InputError(
      `The url of the remote at ${quote(url.host)} holds credentials; remove them and give the token in the environment variable MIRRORFEED_TOKEN.`,
    );
  }
  return { address, origin: url.protocol === "https:" ? url.origin : undefined };
}

/** As git decides it: a colon before any slash ends a host, unless it ends the letter of a Windows drive. */
function isForSsh(address: string): boolean {
  return /^[^/\\]+:/.test(address) && !/^[a-z]:[\\/]/i.test(address);
}

/**
 * The token for a remote: MIRRORFEED_TOKEN for any that is reached by https, else GITHUB_TOKEN for the server that
 * gave it (GITHUB_SERVER_URL). Throws InputError for one that no server can have given.
 */
export function tokenFor({ origin }: Remote, environment: Environment): string | undefined {
  if (origin === undefined) return undefined;
  const server = environment["GITHUB_SERVER_URL"] ?? "https://github.com";
  const isGithub = URL.canParse(server) && new URL(server).origin === origin;
  for (const name of isGithub ? ["MIRRORFEED_TOKEN", "GITHUB_TOKEN"] : ["MIRRORFEED_TOKEN"]) {
    const token = environment[name]?.trim() ?? "";
    if (token === "") continue;
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw new InputError(`${name} holds a character that no token has; set it again.`);
  }
  return undefined;
}

/** How a git reaches a remote. */
export interface Access {
  readonly address: string;
  /** By their names in git-config(1). */
  readonly settings: Readonly<Record<string, string>>;
  /** What of them must not be shown. */
  readonly secrets: readonly string[];
}

/**
 * The way to a remote, with its token where there is one: as credentials of HTTP's Basic scheme (RFC 7617), with the
 * user name that GitHub asks for. Throws as `tokenFor` does.
 */
export function accessTo(remote: Remote, environment: Environment): Access {
  const token = tokenFor(remote, environment);
  if (token === undefined) return { address: remote.address, settings: {}, secrets: [] };
  const credentials = Buffer.from(`x-access-token:${token}`).toString("base64");
  return {
    address: remote.address,
    settings: {
      [`http.${remote.origin ?? ""}/.extraheader`]: `Authorization: Basic ${credentials}`,
      // A token is for this host, wherever it may point to; and where it fails no other is tried.
      "http.followRedirects": "false",
      "credential.helper": "",
    },
    secrets: [token, credentials],
  };
}
