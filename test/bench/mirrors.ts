import type { Origins } from "./origins.ts";

/** How many of the mirrors of a benchmark are what; the rest is good. */
export type Mix = "all-good" | "mixed" | "some-silent";

/**
 * Returns the URLs of this many mirrors, each at its own address. mixed: 10 % answer 404, 6 % redirect, 3 % refuse and
 * 1 % are slow; some-silent: 5 % never answer.
 */
export function mirrorUrls(count: number, mix: Mix, origins: Origins): string[] {
  return Array.from({ length: count }, (_, index) => {
    const address = `127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
    const [port, path] = portAndPath(index % 100, mix, origins);
    return `http://${address}:${port}/${path}/joomla/packages`;
  });
}

/** Returns the URLs of this many mirrors with TLS, each with its own name below mirror.test. */
export function namedUrls(count: number, scheme: "http" | "https", { plain, tls }: Origins): string[] {
  const port = scheme === "http" ? plain : tls;
  return Array.from(
    { length: count },
    (_, index) => `${scheme}://m${index}.mirror.test:${port}/good/joomla/packages`,
  );
}

/** Returns a mirrors.json of these mirrors, ten for each target. */
export function feedOf(urls: readonly string[], probe: object = {}): string {
  const targets = Array.from({ length: Math.ceil(urls.length / 10) }, (_, target) => ({
    target: `t${target}`,
    network: urls.slice(target * 10, target * 10 + 10).map((url, index) => ({
      id: target * 10 + index + 1,
      url,
    })),
  }));
  const systems = [{ system: "bench", projects: [{ project: "mirrors", targets }] }];
  return JSON.stringify({ systems, probe: { allowPrivate: true, ...probe } });
}

function portAndPath(part: number, mix: Mix, { plain, refused, silent, slow }: Origins): [number, string] {
  if (mix === "some-silent") return part % 20 === 0 ? [silent, "good"] : [plain, "good"];
  if (mix === "all-good" || part < 80) return [plain, "good"];
  if (part < 90) return [plain, "gone"];
  if (part < 96) return [plain, "moved"];
  return part < 99 ? [refused, "good"] : [slow, "good"];
}
