import { describe, expect, test } from "vitest";
import { mirrorsJson, problemsIn } from "../../support/mirrors-json.ts";

function problemsOf(site: object): string[] {
  return problemsIn(mirrorsJson([{ id: 1, url: "https://git.example.org/a/b" }], { site }));
}

const link = { name: "Help", url: "https://example.org/help" };

describe("a key of site", () => {
  test.each<object>([
    {},
    { timezone: "Europe/Berlin" },
    { accent: "#0B6E50" },
    { accent: "#036" },
    { logo: "brand/logo-2.PNG" },
    { links: Array.from({ length: 10 }, () => link) },
    { links: [{ name: "Mail", url: "mailto:help@example.org" }] },
  ])("can be %j", (site) => {
    expect(problemsOf(site)).toEqual([]);
  });

  test.each<[object, string]>([
    [{ timezone: "Europe/Berln" }, 'site.timezone: "Europe/Berln" is not a time zone; write an IANA name'],
    [{ timezone: "+01:00" }, 'site.timezone: "+01:00" is not a time zone;'],
    [{ accent: "green" }, 'site.accent: "green" is not a hex colour; write one such as #0b6e50'],
    [{ accent: "#0b6e5" }, 'site.accent: "#0b6e5" is not a hex colour;'],
    [{ logo: "logo.gif" }, 'site.logo: "logo.gif" is not the path of an image below public/;'],
    [{ logo: "/logo.svg" }, 'site.logo: "/logo.svg" is not the path'],
    [{ logo: "../logo.svg" }, 'site.logo: "../logo.svg" is not the path'],
    [{ logo: "https://example.org/logo.svg" }, 'site.logo: "https://example.org/logo.svg" is not the path'],
    [{ links: Array.from({ length: 11 }, () => link) }, "site.links: must have 10 entries or fewer"],
    [{ links: [{ name: "", url: link.url }] }, "site.links[0].name: is empty;"],
    [
      { links: [{ name: "Help", url: "javascript:alert(1)" }] },
      'site.links[0].url: "javascript:alert(1)" has the scheme "javascript"; use http, https or mailto',
    ],
    [{ links: [{ name: "Help", url: "/help" }] }, 'site.links[0].url: "/help" is not a URL; write it as'],
    [
      { links: [{ name: "Help", url: "https://me:secret@example.org/" }] },
      "site.links[0].url: contains credentials, and the page is public;",
    ],
  ])("is refused with its place and the remedy: %j", (site, problem) => {
    expect(problemsOf(site)).toEqual([expect.stringContaining(problem)]);
  });
});
