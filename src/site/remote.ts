import { resolve } from "node:path";
import { InputError } from "../errors.ts";
import { hasInvisible, quote } from "../quote.ts";

/** Where a site is published to; the address holds no secret. */
export interface Remote {
  readonly address: string;
  /** `https://HOST` where a token may be sent, undefined everywhere else. */
  readonly origin: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const advice = "leave them out and put the token into the environment variable MIRRORFEED_TOKEN";

/**
 * Reads the address of a git remote: an URL, `[user@]host:path` for ssh, or a path, relative to the folder `base`.
 * Throws InputError for what git would take for something else, and for one with a password, which it does not repeat.
 */
export function readRemote(text: string, base = "."): Remote {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (url !== undefined && holdsSecret(url))
    throw new InputError(`The remote's address holds credentials; ${advice}.`);
  if (text === "" || text.startsWith("-") || text.includes("::") || hasInvisible(text))
    throw new InputError(`${quote(text)} is no address of a git remote; give an URL, host:path or a path.`);
  if (url !== undefined) return { address: text, origin: url.protocol === "https:" ? url.origin : undefined };
  return { address: isHostAndPath(text) ? text : resolve(base, text), origin: undefined };
}

function parseUrl(text: string): URL {
  try {
    return new URL(text);
  } catch (error) {
    // Not repeated: a broken address may hold a password all the same.
    throw new InputError("The remote's address is a broken URL; write it as https://host/path.", {
      cause: error,
    });
  }
}

/** In http(s) the name alone may be a token; in ssh it is `git`. */
function holdsSecret({ protocol, username, password }: URL): boolean {
  return password !== "" || (username !== "" && /^https?:$/.test(protocol));
}

/** As git decides: a colon before any slash parts host and path, except in a path of Windows. */
function isHostAndPath(text: string): boolean {
  return /^(?![a-z]:[\\/])[^/]+:/i.test(text);
}

/**
 * The token for a remote: MIRRORFEED_TOKEN for any https one, GITHUB_TOKEN for its own server only. Throws InputError
 * for one that cannot stand in a header.
 */
export function tokenFor({ origin }: Remote, environment: Environment): string | undefined {
  if (origin === undefined) return undefined;
  const server = environment["GITHUB_SERVER_URL"] ?? "https://github.com";
  const names =
    server.replace(/\/$/, "") === origin ? ["MIRRORFEED_TOKEN", "GITHUB_TOKEN"] : ["MIRRORFEED_TOKEN"];
  for (const name of names) {
    const token = environment[name]?.trim() ?? "";
    if (token === "") continue;
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw new InputError(`${name} holds characters that no token has; set it again.`);
  }
  return undefined;
}

/** The credentials of a token for HTTP's Basic scheme (RFC 7617), under the name that GitHub asks for. */
export function basicCredentials(token: string): string {
  return Buffer.from(`x-access-token:${token}`).toString("base64");
}
