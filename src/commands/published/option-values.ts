import { targetPattern, urlPattern } from "../../client/options.ts";
import { InputError } from "../../base/errors.ts";
import { quote } from "../../base/text/quote.ts";
import { parseDeploymentUrl } from "../../verify/deployment-url.ts";
import { missingUnit, parseDuration } from "../../base/text/duration.ts";
import { withScheme } from "../../base/text/url.ts";

/** Returns the URL of a feed, with a slash at the end. Throws InputError if the text is not such a URL. */
export function parseFeedUrl(text: string): string {
  const { href } = parseDeploymentUrl(text);
  if (urlPattern.test(href)) return href;
  throw new InputError(
    `${quote(text)} holds characters that a URL cannot; write it as https://status.example.org/.`,
  );
}

/** Returns a target as system/project/target. Throws InputError if the text does not name one. */
export function parseTargetPath(text: string): string {
  if (targetPattern.test(text)) return text;
  throw new InputError(
    `${quote(text)} is not a target; write it as system/project/target, of letters, digits or . _ ~ - each.`,
  );
}

/** Returns how many mirrors must be reachable. Throws InputError if the text is not such a number. */
export function parseMinimum(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InputError(`${quote(text)} is not a number of mirrors; write one from 1 to 9999.`);
}

/** Returns a timeout such as 5s in milliseconds. Throws InputError if it is not a duration or out of range. */
export function parseTimeout(text: string): number {
  const ms = parseDuration(text);
  if (ms >= 100 && ms <= 300_000) return ms;
  throw new InputError(
    `${quote(text)} is not a duration${missingUnit(text) ?? "; write it as 500ms, 5s or 1m, from 100ms to 5m"}.`,
  );
}

/** Returns the maximum age of a feed, such as 1h, in milliseconds. Throws InputError if it is not a duration. */
export function parseAge(text: string): number {
  const ms = parseDuration(text);
  if (ms > 0) return ms;
  throw new InputError(
    `${quote(text)} is not an age${missingUnit(text) ?? "; write it as 90s, 30m, 1h or 2d"}.`,
  );
}

/** Returns the excluded hosts so far with one more. Throws InputError if it is not a host. */
export function parseExcluded(text: string, before: readonly string[] = []): string[] {
  const hostname = /^(?:\[[\da-f:.]+\]|[^\s\p{C}:/?#@\\[\],]+)(?::\d{1,5})?$/iu;
  if (hostname.test(text) && URL.canParse(`https://${text}`)) return [...before, text];
  throw new InputError(
    `${quote(text)} is not a host; name it as github.com, or with a port as github.com:8443.`,
  );
}

/** Returns the two letters of a country in upper case. Throws InputError if the text cannot be one. */
export function parseCountry(text: string): string {
  const country = text.toUpperCase();
  if (/^[A-Z]{2}$/.test(country) && country !== "UK") return country;
  throw new InputError(
    `${quote(text)} is not a country; write the two letters of ISO 3166-1, such as DE or GB.`,
  );
}

/** Returns the URL that Git clones, of any scheme. Throws InputError if the text cannot be one. */
export function parseCanonical(text: string): string {
  const isSecret = /^https?:\/\/[^/]*@|:\/\/[^/]*:[^/@]*@/i.test(text);
  if (/^[\w/][!-~]{2,1999}$/.test(text) && !isSecret) return text;
  throw new InputError(
    `${quote(text)} is not a URL of a repository; write it as https://git.example.org/owner/name, without credentials.`,
  );
}

/** Returns a URL that is printed instead of a mirror's. Throws InputError if the text cannot be one, or has no scheme. */
export function parseFallback(text: string): string {
  const complete = withScheme(text);
  if (complete === undefined) return parseCanonical(text);
  throw new InputError(`--fallback: ${quote(text)} has no scheme; write ${quote(complete)}.`);
}
