import type { Config } from "../../config/schema.ts";
import { type Format, formatIn } from "../../base/text/timestamp.ts";
import { type Words, wordsOf } from "./words/words.ts";

/** The words and the form of dates of a site. */
export interface Wording {
  readonly words: Words;
  readonly format: Format;
}

/** Returns the words and the form of dates of a site. */
export function wordingOf({ language, timezone }: Pick<Config["site"], "language" | "timezone">): Wording {
  const words = wordsOf(language);
  return { words, format: formatIn(words.locale, timezone) };
}

/** Renders a timestamp (ISO 8601). The script replaces it by the distance from now, such as `5 minutes ago`. */
export function timestamp({ format }: Wording, at: string): preact.JSX.Element {
  return <time datetime={at}>{format.timestamp(at)}</time>;
}

/** Renders a timestamp that the script does not replace by a distance, but by the same in the reader's time zone. */
export function exactTime({ format }: Wording, at: string): preact.JSX.Element {
  return (
    <time datetime={at} class="exact">
      {format.timestamp(at)}
    </time>
  );
}

/** Renders `until` and a timestamp. The script replaces it by the remaining time, such as `for another 2 hours`. */
export function untilTime({ words, format }: Wording, at: string): preact.JSX.Element {
  return (
    <time datetime={at} class="until">
      {words.timestamp.until(format.timestamp(at))}
    </time>
  );
}

/** Renders `since` and a timestamp. The script replaces it by the time since then, such as `for 2 hours`. */
export function sinceTime({ words, format }: Wording, at: string): preact.JSX.Element {
  return (
    <time datetime={at} class="since">
      {words.timestamp.since(format.timestamp(at))}
    </time>
  );
}
