import { expect, test } from "vitest";
import { describeConfig } from "../support/feed-with.ts";
import { feedConfig } from "../support/contract/feed.ts";
import { loadDocument } from "../support/document.ts";

const { text } = loadDocument(".github/docs/documents.md");
const listed = [...text.matchAll(/^\| (`\/.*?) +\|/gm)].map(([, cell = ""]) => cell);

/** Pages and the calendar, which OpenAPI does not describe, and lists of kinds and countries that its feed does not have. */
const others = [
  "/",
  ...["list", "conf", "metalink", "meta4"].map((one) => `/mirrorlist/{system}/{project}/{target}.${one}`),
  "/country/{country}/{system}/{project}/{target}.txt",
  ...["/incidents", "/incidents/{name}", "/maintenance.ics", "/docs"],
];

test("documents.md lists every path of the OpenAPI document, and no other document", () => {
  const { paths } = describeConfig({ ...feedConfig, site: { ...feedConfig.site, host: "nginx" } });
  const known = listed
    .flatMap((cell) => {
      let last = "";
      // A name without a slash is another extension of the path before it.
      return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => {
        last = path.startsWith("/") ? path : last.replace(/\.\w+$/, path);
        return last;
      });
    })
    .map((path) => path.replace(/(?<=.)\/$/, ""));
  const missing = Object.keys(paths).filter((path) => !known.includes(path));
  expect(missing).toEqual([]);
  expect(known.filter((path) => !(path in paths))).toEqual(others);
});
