import { resolve } from "node:path";
import type { Environment } from "./child-process.ts";
import { InputError } from "../errors.ts";
import { hasInvisible, quote } from "../text/quote.ts";

/** A Git remote whose address was checked: it contains no secret, so it can be shown. */
export interface Remote {
  readonly address: string;
  /** `https://HOST` if a token may be sent there, else undefined. */
  readonly origin: string | undefined;
}

/** Throws InputError for credentials and for anything but a URL, `user@host:path`, or a path (relative to `base`). */
export function parseRemote(address: string, base = "."): Remote {
  if (/^[\w+.-]+:\/\//.test(address)) return readUrl(address);
  if (address === "" || address.startsWith("-") || /^\w+::/.test(address) || hasInvisible(address)) {
    throw new InputError(`${quote(address)} is not a Git remote; give a URL, host:path or a path.`);
  }
  return { address: isForSsh(address) ? address : resolve(base, address), origin: undefined };
}

function readUrl(address: string): Remote {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // The message does not show an address that cannot be parsed, because the address may contain a password.
  if (url === undefined || hasInvisible(address) || !/^(?:https?|ssh|git|file):$/.test(url.protocol)) {
    throw new InputError(
      "The remote is not an https, http, ssh, git or file URL; write it as https://host/path.",
    );
  }
  const isWeb = /^https?:$/.test(url.protocol);
  if (url.password !== "" || (isWeb && url.username + url.search !== "")) {
    throw new InputError(
      `The remote URL at ${quote(url.host)} contains credentials; remove them and set the environment variable MIRRORFEED_TOKEN to the token.`,
    );
  }
  return { address, origin: url.protocol === "https:" ? url.origin : undefined };
}

/** Git's rule: a colon before any slash ends a host name, unless it follows a Windows drive letter. */
function isForSsh(address: string): boolean {
  return /^[^/\\]+:/.test(address) && !/^[a-z]:[\\/]/i.test(address);
}

/** MIRRORFEED_TOKEN is for any HTTPS remote, GITHUB_TOKEN only for remotes on GITHUB_SERVER_URL. */
export function tokenFor({ origin }: Remote, environment: Environment): string | undefined {
  if (origin === undefined) return undefined;
  const server = environment["GITHUB_SERVER_URL"] ?? "https://github.com";
  const isGithub = URL.canParse(server) && new URL(server).origin === origin;
  for (const name of isGithub ? ["MIRRORFEED_TOKEN", "GITHUB_TOKEN"] : ["MIRRORFEED_TOKEN"]) {
    const token = environment[name]?.trim() ?? "";
    if (token === "") continue;
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw new InputError(`${name} contains an invalid character; set it again.`);
  }
  return undefined;
}

export type Access = Readonly<ReturnType<typeof accessTo>>;

/** Sends the token as Basic credentials (RFC 7617) with the user name that GitHub expects. Throws like `tokenFor`. */
export function accessTo(remote: Remote, environment: Environment) {
  const { address, origin = "" } = remote;
  const token = tokenFor(remote, environment);
  if (token === undefined) return { address, settings: {}, secrets: [] };
  const credentials = Buffer.from(`x-access-token:${token}`).toString("base64");
  return {
    address,
    settings: {
      [`http.${origin}/.extraheader`]: `Authorization: Basic ${credentials}`,
      // The token is for this host only, so Git must not follow redirects to a different one.
      "http.followRedirects": "false",
      "credential.helper": "",
    },
    secrets: [token, credentials],
  };
}
