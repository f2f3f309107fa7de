import { InputError } from "../base/errors.ts";
import { quote } from "../base/text/quote.ts";
import { parseUrl, withScheme } from "../base/text/url.ts";

/** Returns the URL of a deployment, with a slash at the end. Throws InputError if the text is not such a URL. */
export function parseDeploymentUrl(text: string): URL {
  const example = "write it as https://status.example.org/";
  const url = parseUrl(text);
  // The text before an @ may be a password, even if the rest is not a URL.
  const shown = quote(text.replace(/^.*@/s, "…@"));
  const complete = withScheme(text);
  if (complete !== undefined) throw new InputError(`${shown} has no scheme; write ${quote(complete)}.`);
  if (url === undefined) throw new InputError(`${shown} is not a URL; ${example}.`);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new InputError(`${quote(text)} is neither http nor https; ${example}.`);
  if (url.username !== "" || url.password !== "")
    throw new InputError(
      "The URL holds credentials, and the contract has none; remove what is before the @.",
    );
  if (/[?#]/.test(text)) throw new InputError(`${quote(text)} has a query or a fragment; ${example}.`);
  if (/\/v1\/network(?:\/|$)/.test(url.pathname))
    throw new InputError(`${quote(text)} is a document; name the URL of the whole site, before /v1/network.`);
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}
