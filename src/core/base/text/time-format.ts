/** Formats ISO 8601 timestamps for people, in a time zone. */
export type Format = Readonly<ReturnType<typeof formatIn>>;

const date = { day: "numeric", month: "short", year: "numeric" } as const;
const timeOfDay = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" } as const;

/** `timeZone` is an IANA name, such as `Europe/Berlin`. */
export function formatIn(timeZone: string) {
  const formatter = (options: Intl.DateTimeFormatOptions): ((text: string) => string) => {
    // Created on first use, because creating a formatter takes longer than many calls to it.
    let form: Intl.DateTimeFormat | undefined;
    return (text) => (form ??= new Intl.DateTimeFormat("en-GB", options)).format(Date.parse(text));
  };
  const long = { ...date, ...timeOfDay, timeZone };
  return {
    /** `2 Nov 2026, 07:00 UTC` */
    timestamp: formatter(long),
    /** `2 Nov 2026, 07:00–09:00 UTC` */
    range: (from: string, to: string) =>
      new Intl.DateTimeFormat("en-GB", long).formatRange(Date.parse(from), Date.parse(to)),
    /** `2 Nov 2026` */
    date: formatter({ ...date, timeZone }),
    /** `November 2026` */
    month: formatter({ month: "long", year: "numeric", timeZone }),
  };
}
