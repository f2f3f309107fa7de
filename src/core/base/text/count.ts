/** Returns a count and its noun, with thousands separators: `1 mirror`, `10,000 mirrors`. */
export function formatCount(count: number, noun: string): string {
  return `${formatInteger(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function formatInteger(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Joins names for a sentence: `a, b or c`. */
export function formatList(names: readonly string[], last: "and" | "or"): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1) ?? ""}`;
}

/** Formats a share from 0 to 1 as a percentage. Never rounds up to 100 % or down to 0 %. */
export function percent(share: number, decimals = 2): string {
  if (share === 0 || share === 1) return `${share * 100} %`;
  const step = 10 ** -decimals;
  const shown = Math.min(Math.max(share * 100, step), 100 - step);
  return `${shown.toFixed(decimals)} %`;
}
