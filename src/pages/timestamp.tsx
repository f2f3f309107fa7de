const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A date (ISO 8601, or a moment's beginning) in words: `2 Nov 2026`. */
export function formatDate(date: string): string {
  return `${Number(date.slice(8, 10))} ${months[Number(date.slice(5, 7)) - 1] ?? ""} ${date.slice(0, 4)}`;
}

/** A moment (ISO 8601, in UTC) in words: `2 Nov 2026, 07:00 UTC`. */
export function formatTimestamp(timestamp: string): string {
  return `${formatDate(timestamp)}, ${timestamp.slice(11, 16)} UTC`;
}

/** A moment, which the script turns into how long ago it was, or how far ahead it is. */
export function Timestamp({ at }: { readonly at: string }): preact.JSX.Element {
  return <time datetime={at}>{formatTimestamp(at)}</time>;
}

/** `until` and a moment, which the script turns into how much longer that is. */
export function Until({ at }: { readonly at: string }): preact.JSX.Element {
  return (
    <time datetime={at} class="until">
      until {formatTimestamp(at)}
    </time>
  );
}

/** `since` and a moment, which the script turns into `for` and how long that is. */
export function Since({ at }: { readonly at: string }): preact.JSX.Element {
  return (
    <time datetime={at} class="since">
      since {formatTimestamp(at)}
    </time>
  );
}
