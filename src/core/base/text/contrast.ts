/** An sRGB colour: red, green and blue from 0 to 255. */
type Color = readonly [red: number, green: number, blue: number];

/** Returns the contrast ratio of two hex colours, such as `#0b6e50`, from 1 to 21 (WCAG 2.2). */
export function contrast(first: string, second: string): number {
  const [darker = 0, lighter = 0] = [luminance(parseColor(first)), luminance(parseColor(second))].sort(
    (left, right) => left - right,
  );
  return (lighter + 0.05) / (darker + 0.05);
}

/** Mixes just enough of `toward` into `color` for a contrast ratio of at least `min` against `background`. */
export function withContrast(
  color: string,
  background: string,
  toward: "#000000" | "#ffffff",
  min: number,
): string {
  const steps = 50;
  for (let step = 0; step < steps; step += 1) {
    const mixed = mix(color, toward, step / steps);
    if (contrast(mixed, background) >= min) return mixed;
  }
  return toward;
}

function mix(color: string, toward: string, share: number): string {
  const end = parseColor(toward);
  const channels = parseColor(color).map((value, index) =>
    Math.round(value + ((end[index] ?? 0) - value) * share),
  );
  return `#${channels.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/** Parses `#rgb` and `#rrggbb`. */
function parseColor(text: string): Color {
  const digits = text.slice(1);
  const long = digits.length === 3 ? digits.replaceAll(/./g, "$&$&") : digits;
  const channel = (from: number): number => Number.parseInt(long.slice(from, from + 2), 16);
  return [channel(0), channel(2), channel(4)];
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
