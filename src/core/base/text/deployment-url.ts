import { InputError } from "../errors.ts";
import { quote } from "./quote.ts";
import { parseUrl, withScheme } from "./url.ts";

/** Parses a deployment's URL, and adds a slash at the end. Throws InputError if the URL is unusable. */
export function parseDeploymentUrl(text: string): URL {
  const url = parseUrl(text);
  // The text before an @ may be a password, even if the rest is not a URL.
  const shown = quote(text.replace(/^.*@/s, "…@"));
  const complete = withScheme(text);
  if (complete !== undefined) throw new InputError(`${shown} has no scheme; write ${quote(complete)}.`);
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#]/.test(text))
    throw new InputError(
      `${shown} is not a URL of a site; write it as https://status.example.org/, without a query or fragment.`,
    );
  if (url.username !== "" || url.password !== "")
    throw new InputError(
      "The URL contains credentials, which a feed does not use; remove everything before the @.",
    );
  if (/\/v1\/network(?:\/|$)/.test(url.pathname))
    throw new InputError(
      `${quote(text)} is a document; use the URL of the whole site, without /v1/network and what follows.`,
    );
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
