const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Returns the date of an ISO 8601 date or timestamp, such as `2 Nov 2026`. */
export function formatDate(date: string): string {
  return `${Number(date.slice(8, 10))} ${months[Number(date.slice(5, 7)) - 1] ?? ""} ${date.slice(0, 4)}`;
}

/** Returns an ISO 8601 timestamp in UTC for people, such as `2 Nov 2026, 07:00 UTC`. */
export function formatTimestamp(timestamp: string): string {
  return `${formatDate(timestamp)}, ${timestamp.slice(11, 16)} UTC`;
}

/** Renders a timestamp. The script replaces it by the distance from now, such as `5 minutes ago`. */
export function Timestamp({ at }: { readonly at: string }): preact.JSX.Element {
  return <time datetime={at}>{formatTimestamp(at)}</time>;
}

/** Renders `until` and a timestamp. The script replaces it by the remaining time, such as `for another 2 hours`. */
export function Until({ at }: { readonly at: string }): preact.JSX.Element {
  return (
    <time datetime={at} class="until">
      until {formatTimestamp(at)}
    </time>
  );
}

/** Renders `since` and a timestamp. The script replaces it by the time since then, such as `for 2 hours`. */
export function Since({ at }: { readonly at: string }): preact.JSX.Element {
  return (
    <time datetime={at} class="since">
      since {formatTimestamp(at)}
    </time>
  );
}
