/** A count with its noun, grouped by thousands: `1 mirror`, `10,000 mirrors`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A whole number, grouped by thousands. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Names as a sentence lists them: `a, b or c`. */
export function listed(names: readonly string[], last: "and" | "or"): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1) ?? ""}`;
}

/** A share as a percentage that is never rounded up to 100 % or down to 0 %. */
export function percent(share: number, decimals = 2): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const step = 10 ** -decimals;
  const shown = Math.min(Math.max(share * 100, step), 100 - step);
  return `${shown.toFixed(decimals)} %`;
}
