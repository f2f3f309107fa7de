import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { loadDocument } from "../support/document.ts";

const { text } = loadDocument(".github/docs/documents.md");
const listed = [...text.matchAll(/^\| (`\/.*?) +\|/gm)].map(([, cell = ""]) => cell);

test("documents.md lists every path of the OpenAPI document", () => {
  const { paths } = JSON.parse(readFileSync("test/render/openapi/reviewed-nginx.json", "utf8")) as {
    paths: Record<string, unknown>;
  };
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
});
