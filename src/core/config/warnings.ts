import type { JsonPath } from "./json-document.ts";
import { listTargets, receivingChannels } from "./nodes.ts";
import type { Config } from "./config-schema.ts";
import { parseUrl } from "../base/text/url.ts";
import { isPrivateHost } from "../base/http/address.ts";
import { formatCount } from "../base/text/count.ts";
import { quote } from "../base/text/quote.ts";

/** A probable mistake in a valid mirrors.json. */
export interface ConfigWarning {
  readonly code:
    | "private_address"
    | "control"
    | "no_effect"
    | "site_url"
    | "interval"
    | "client"
    | "workflow";
  readonly path: JsonPath;
  readonly message: string;
}

/** Returns warnings about a valid configuration, without making network requests. */
export function configWarnings(config: Config): ConfigWarning[] {
  return [
    ...(config.probe.allowPrivate ? [] : privateWarning(config)),
    ...controlWarnings(config),
    ...channelWarnings(config),
  ];
}

export function isPrivateUrl(url: string): boolean {
  return isPrivateHost(parseUrl(url)?.hostname ?? "");
}

/** Returns a single problem for all URLs in private networks, or undefined. */
export function privateUrlsProblem(urls: readonly string[]): string | undefined {
  const inner = urls.filter(isPrivateUrl);
  if (inner.length === 0) return undefined;
  const hosts = listSome(inner.map((url) => new URL(url).host));
  const what = `${formatCount(inner.length, "URL")} in a private network (${hosts})`;
  return `${what}: private addresses are not probed; ${allowPrivateRemedy}`;
}

/** Lists distinct names for a sentence: the first five, and the number of the rest. */
export function listSome(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const more = distinct.length - maxNames;
  return `${distinct.slice(0, maxNames).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const maxNames = 5;

export const allowPrivateRemedy = 'set "probe": { "allowPrivate": true } in mirrors.json';

function privateWarning(config: Config): ConfigWarning[] {
  const mirrors = listTargets(config).flatMap(({ path, target }) =>
    target.network.map(({ url }, n) => ({ url, path: [...path, "network", n, "url"] })),
  );
  const message = privateUrlsProblem(mirrors.map(({ url }) => url));
  const path = mirrors.find(({ url }) => isPrivateUrl(url))?.path ?? [];
  return message === undefined ? [] : [{ code: "private_address", path, message }];
}

/** Warns about controls that prove nothing, because a captive portal could give the same answer. */
function controlWarnings({ probe }: Config): ConfigWarning[] {
  return probe.controls.flatMap((control, index): ConfigWarning[] => {
    const path = ["probe", "controls", index];
    const { url, text } = typeof control === "string" ? { url: control, text: undefined } : control;
    if (text === undefined) {
      if (new URL(url).protocol === "https:") return [];
      const message = `${quote(url)} proves nothing over HTTP unless "text" is set, since a captive portal could answer; use HTTPS, or write { "url": ${quote(url)}, "text": "some text from the answer" }`;
      return [{ code: "control", path, message }];
    }
    if (!url.includes(text)) return [];
    const message = `${quote(text)} is also in the URL, which a captive portal may show on its login page; choose different text from the answer`;
    return [{ code: "control", path: [...path, "text"], message }];
  });
}

/** Warns about channels that are never notified. */
function channelWarnings(config: Config): ConfigWarning[] {
  const receiving = receivingChannels(config);
  const message = `has no effect; add its name to a notify rule's "to", or remove it`;
  return Object.keys(config.channels)
    .filter((name) => !receiving.has(name))
    .map((name) => ({ code: "no_effect", path: ["channels", name], message }));
}
