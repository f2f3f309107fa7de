const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** A time in seconds for people, by its largest unit and the one below it: `2 hours 10 minutes`, `1 day`. */
export function durationText(seconds: number): string {
  const largest = units.findIndex(([, size]) => seconds >= size);
  if (largest < 0) return "less than a second";
  let rest = seconds;
  const parts = units.slice(largest, largest + 2).map(([name, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? "" : `${count} ${name}${count === 1 ? "" : "s"}`;
  });
  return parts.filter((part) => part !== "").join(" ");
}
