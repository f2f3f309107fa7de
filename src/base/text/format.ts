/** Writes times as the readers of a language in a time zone expect them. */
export interface Format {
  /** Returns the date and time of an ISO 8601 timestamp with the time zone, such as `2 Nov 2026, 07:00 UTC`. */
  readonly timestamp: (timestamp: string) => string;
  /** Returns the date of an ISO 8601 timestamp in the time zone, such as `2 Nov 2026`. */
  readonly date: (timestamp: string) => string;
  /** Returns the month of an ISO 8601 timestamp in the time zone, such as `November 2026`. */
  readonly month: (timestamp: string) => string;
  /** Returns a day of the feed, which is one in UTC, from its ISO 8601 date, such as `2 Nov 2026`. */
  readonly day: (date: string) => string;
}

const date = { day: "numeric", month: "short", year: "numeric" } as const;
const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;

/** Returns the format of a locale and a time zone of the IANA database. */
export function formatIn(locale: string, timeZone: string): Format {
  const formatter = (options: Intl.DateTimeFormatOptions): ((text: string) => string) => {
    // Made when it is first used, since it takes longer than to write many times.
    let form: Intl.DateTimeFormat | undefined;
    return (text) => (form ??= new Intl.DateTimeFormat(locale, options)).format(Date.parse(text));
  };
  return {
    timestamp: formatter({ ...date, ...time, timeZone }),
    date: formatter({ ...date, timeZone }),
    month: formatter({ month: "long", year: "numeric", timeZone }),
    day: formatter({ ...date, timeZone: "UTC" }),
  };
}
