/** Returns a timestamp (ISO 8601 in UTC) for people, to the minute. */
export function formatMinute(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}
