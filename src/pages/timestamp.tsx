import { createContext } from "preact";
import type { Config } from "../config/schema.ts";
import { type Format, formatIn } from "../language/format.ts";
import { type Words, wordsOf } from "../language/words.ts";

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

/** The wording of the page that is rendered. */
export const WordingContext = createContext(wordingOf({ language: "en", timezone: "UTC" }));

interface Time {
  /** In ISO 8601. */
  readonly at: string;
}

/** Renders a timestamp. The script replaces it by the distance from now, such as `5 minutes ago`. */
export function Timestamp({ at }: Time): preact.JSX.Element {
  return (
    <WordingContext.Consumer>
      {({ format }) => <time datetime={at}>{format.timestamp(at)}</time>}
    </WordingContext.Consumer>
  );
}

/** Renders a timestamp that the script does not replace by a distance, but by the same in the reader's time zone. */
export function ExactTime({ at }: Time): preact.JSX.Element {
  return (
    <WordingContext.Consumer>
      {({ format }) => (
        <time datetime={at} class="exact">
          {format.timestamp(at)}
        </time>
      )}
    </WordingContext.Consumer>
  );
}

/** Renders `until` and a timestamp. The script replaces it by the remaining time, such as `for another 2 hours`. */
export function Until({ at }: Time): preact.JSX.Element {
  return (
    <WordingContext.Consumer>
      {({ words, format }) => (
        <time datetime={at} class="until">
          {words.timestamp.until(format.timestamp(at))}
        </time>
      )}
    </WordingContext.Consumer>
  );
}

/** Renders `since` and a timestamp. The script replaces it by the time since then, such as `for 2 hours`. */
export function Since({ at }: Time): preact.JSX.Element {
  return (
    <WordingContext.Consumer>
      {({ words, format }) => (
        <time datetime={at} class="since">
          {words.timestamp.since(format.timestamp(at))}
        </time>
      )}
    </WordingContext.Consumer>
  );
}
