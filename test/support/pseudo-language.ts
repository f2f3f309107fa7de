import { kindNames, kinds, reasonKeys } from "../../src/kinds/kinds.ts";
import { english } from "../../src/outputs/pages/words/english.ts";
import { formatIn } from "../../src/base/text/timestamp.ts";
import { nodesOf, targetsOf } from "../../src/feed/feed.ts";
import type { Wording } from "../../src/outputs/pages/page-feed.ts";
import type { PlayedFeed } from "../outputs/pages/feeds.ts";

/** Words that are the same in every language. */
const brands = ["mirrorfeed", "OpenAPI", "JSON Feed", "JSON", "Atom", "iCalendar", "ms", "kB"];
const brand = new RegExp(`\\b(?:${brands.join("|")})\\b`, "g");

const hasWord = /\p{L}{2,}/u;

/** Marks every text in a catalogue, including the results of its functions. */
function marked<Value>(value: Value): Value;
function marked(value: unknown): unknown {
  if (typeof value === "string") return `⟦${value}⟧`;
  if (typeof value === "function")
    return (...args: unknown[]): unknown => marked(Reflect.apply(value, undefined, args));
  if (Array.isArray(value)) return value.map((one: unknown) => marked(one));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, marked(part)]));
  return value;
}

function record(keys: readonly string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, `⟦${key}⟧`]));
}

const uses = kindNames.flatMap((name) => [
  ...(kinds[name].usages ?? []),
  ...(kinds[name].lists ?? []).map(({ usage }) => usage),
]);
const format = formatIn("en-GB", "UTC");
/** A language in which every text is marked. */
export const pseudo: Wording = {
  words: {
    ...marked(english),
    language: "qps",
    locale: "en-GB",
    sentence: {
      ...marked(english.sentence),
      codes: record(reasonKeys),
      uses: record(uses.flatMap((use) => (use === undefined ? [] : [use.title]))),
    },
  },
  format: marked(format),
  countryName: (country) => `⟦${country}⟧`,
};

/** Returns the texts of a page that readers see, from elements and attributes. Code, scripts and styles are left out. */
export function textsOf(html: string): string[] {
  const bare = html
    .replace(/<(code|pre|script|style)\b[^>]*>[^]*?<\/\1>/g, " ")
    .replaceAll(/<!doctype html>|<wbr\/?>|&nbsp;/g, "");
  const attributes = [
    ...bare.matchAll(/ (?:aria-label|title|alt|placeholder|label|data-state|data-subject)="([^"]*)"/g),
    ...bare.matchAll(
      /<meta (?:name="description"|property="og:[a-z_]*(?:title|description)") content="([^"]*)"/g,
    ),
  ];
  return [...bare.split(/<[^>]*>/), ...attributes.map(([, text = ""]) => text)].map((text) => text.trim());
}

/** Removes marked texts, data and brands. Returns what is left, or an empty string if it has no word. */
export function leftOf(text: string, data: readonly string[]): string {
  let rest = text;
  for (let before = ""; before !== rest;) {
    before = rest;
    rest = rest.replace(/⟦[^⟦⟧]*⟧/g, " ");
  }
  if (!hasWord.test(rest)) return "";
  for (const name of data) rest = rest.replaceAll(name, " ");
  rest = rest.replace(brand, " ");
  return hasWord.test(rest) ? rest.replaceAll(/\s+/g, " ").trim() : "";
}

/** Returns all data shown on a feed's pages, longest first. */
export function dataOf({ config, feed }: PlayedFeed): string[] {
  const targets = targetsOf(feed.systems);
  const names = [
    feed.site.title,
    ...targets.flatMap(({ system, project, target, place }) => [system, project, target, place]),
    ...nodesOf(targets).flatMap(({ name, url, host }) => [name, url, host]),
    ...feed.run.prober.vantages.map(({ vantage }) => vantage),
    ...config.maintenance.map(({ reason }) => reason),
    ...feed.notices.flatMap(({ name, title }) => [name, title]),
  ];
  return [...new Set(names)].sort((left, right) => right.length - left.length);
}
