import { targetPattern, urlPattern } from "../../client/question.ts";
import { InputError } from "../../errors.ts";
import { quote } from "../../quote.ts";
import { readDeployment } from "../../site/verify/client.ts";
import { timeOf } from "../arguments.ts";

/** Where a feed is, with a slash at the end. Throws InputError where a person named something else. */
export function readFeedUrl(text: string): string {
  const { href } = readDeployment(text);
  if (urlPattern.test(href)) return href;
  throw new InputError(`${quote(text)} holds what a url cannot; write it as https://status.example.org/.`);
}

/** A target as system/project/target. Throws InputError for what is none. */
export function readTargetPath(text: string): string {
  if (targetPattern.test(text)) return text;
  throw new InputError(
    `${quote(text)} is no target; write it as system/project/target, of letters, digits or . _ ~ - each.`,
  );
}

/** How many mirrors must be reachable. Throws InputError for what is no such number. */
export function readMinimum(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new InputError(`${quote(text)} is no number of mirrors; write one from 1 to 9999.`);
}

/** How long a feed may take, such as 5s, in milliseconds. Throws InputError for what is no time, or not of this range. */
export function readTimeout(text: string): number {
  const ms = timeOf(text);
  if (ms > 0 && ms <= 300_000) return ms;
  throw new InputError(
    `${quote(text)} is no time to wait; write it as 500ms, 5s or 1m, of five minutes at most.`,
  );
}

/** How old a feed may be, such as 1h, in milliseconds. Throws InputError for what is no age. */
export function readAge(text: string): number {
  const ms = timeOf(text);
  if (ms > 0) return ms;
  throw new InputError(`${quote(text)} is no age; write it as 90s, 30m, 1h or 2d.`);
}

/** A host to exclude, added to those before it. Throws InputError for what is no name of a host. */
export function readExcluded(text: string, before: readonly string[] = []): string[] {
  const hostname = /^(?:\[[\da-f:.]+\]|[^\s\p{C}:/?#@\\[\]]+)(?::\d{1,5})?$/iu;
  if (hostname.test(text) && URL.canParse(`https://${text}`)) return [...before, text];
  throw new InputError(
    `${quote(text)} is no host; name it as github.com, or with a port as github.com:8443.`,
  );
}

/** The url that git is told to clone, whatever its scheme. Throws InputError for what cannot be one. */
export function readCanonical(text: string): string {
  const isSecret = /^https?:\/\/[^/]*@|:\/\/[^/]*:[^/@]*@/i.test(text);
  if (/^[\w/][!-~]{2,1999}$/.test(text) && !isSecret) return text;
  throw new InputError(
    `${quote(text)} is no url of a repository; write it as https://git.example.org/owner/name, without credentials.`,
  );
}
