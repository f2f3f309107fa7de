import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";

const lockfile = z
  .object({
    packages: z.record(
      z.string(),
      z.object({
        version: z.string().optional(),
        license: z.string().optional(),
        resolved: z.string().optional(),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8")));

const packages = Object.entries(lockfile.packages).filter(([place]) => place !== "");

/** Licences (SPDX) that require no more than attribution. */
const permissive =
  /^(?:MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|CC0-1\.0|Unlicense|Python-2\.0|PSF-2\.0|CC-BY-4\.0|CC-BY-3\.0)$/;

/** Packages whose LICENSE or README says MIT, but whose package.json names no licence. */
const saidElsewhere = ["node_modules/union", "node_modules/css-color-converter/node_modules/color-convert"];

/** A licence accepted for test tools only, because they are neither changed nor distributed. */
const filesOnly = /^MPL-2\.0$/;

test("every package, also of the tools, has a licence that asks for no more than to be named", () => {
  const others = packages.flatMap(([place, { license = "none" }]) => {
    const asksForMore = license
      .replaceAll(/[()]/g, "")
      .split(" AND ")
      .some((all) => !all.split(" OR ").some((one) => permissive.test(one)));
    const isTool = /node_modules\/(?:axe-core|lightningcss)/.test(place) && filesOnly.test(license);
    return asksForMore && !isTool && !saidElsewhere.includes(place) ? [`${place}: ${license}`] : [];
  });
  expect(packages.length).toBeGreaterThan(50);
  expect(others).toEqual([]);
});

test("the lockfile names no registry", () => {
  expect(packages.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});
