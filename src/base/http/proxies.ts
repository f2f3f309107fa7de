import { parseUrl } from "../text/url.ts";
import { InputError } from "../errors.ts";

/** The proxies for HTTP and HTTPS, and the hosts that need none. */
export interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  readonly except: string | undefined;
}

/**
 * Returns the proxies that an environment names in HTTP_PROXY, HTTPS_PROXY and NO_PROXY, lower case first; undefined if it
 * names none. Throws InputError if one is not the URL of an HTTP proxy.
 */
export function readProxies(environment: Readonly<Record<string, string | undefined>>): Proxies | undefined {
  const read = (name: string): string | undefined =>
    environment[name.toLowerCase()] || environment[name] || undefined;
  const http = checked("HTTP_PROXY", read("HTTP_PROXY"));
  const https = checked("HTTPS_PROXY", read("HTTPS_PROXY"));
  return http === undefined && https === undefined ? undefined : { http, https, except: read("NO_PROXY") };
}

function checked(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = parseUrl(value);
  if (url?.protocol === "http:" || url?.protocol === "https:") return value;
  // The value is not shown, since it may hold a password.
  throw new InputError(
    `${name} does not name an HTTP proxy; write it as http://proxy.example.org:3128, or unset it.`,
  );
}
