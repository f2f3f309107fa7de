/** Formats ISO 8601 timestamps for people, in a time zone. */
export interface Format {
  /** `2 Nov 2026, 07:00 UTC` */
  readonly timestamp: (timestamp: string) => string;
  /** `2 Nov 2026, 07:00–09:00 UTC` */
  readonly range: (from: string, to: string) => string;
  /** `2 Nov 2026` */
  readonly date: (timestamp: string) => string;
  /** `November 2026` */
  readonly month: (timestamp: string) => string;
}

const date = { day: "numeric", month: "short", year: "numeric" } as const;
const timeOfDay = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;

/** `timeZone` is an IANA name, such as `Europe/Berlin`. */
export function formatIn(timeZone: string): Format {
  const formatter = (options: Intl.DateTimeFormatOptions): ((text: string) => string) => {
    // Created on first use, because creating a formatter takes longer than many calls to it.
    let form: Intl.DateTimeFormat | undefined;
    return (text) => (form ??= new Intl.DateTimeFormat("en-GB", options)).format(Date.parse(text));
  };
  return {
    timestamp: formatter({ ...date, ...timeOfDay, timeZone }),
    range: (from, to) =>
      new Intl.DateTimeFormat("en-GB", { ...date, ...timeOfDay, timeZone }).formatRange(
        Date.parse(from),
        Date.parse(to),
      ),
    date: formatter({ ...date, timeZone }),
    month: formatter({ month: "long", year: "numeric", timeZone }),
  };
}
