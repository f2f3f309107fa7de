import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { configJsonSchema } from "../src/core/config/config-schema.ts";
import { validateConfig } from "../src/core/config/validate.ts";

const own = "mirrors-json.test.ts";

/** Matches code that reads or imports the file at the top of the repository. */
const readsTop = /(?:readFile(?:Sync)?|loadConfig|import|from)\s*\(?\s*["'`](?:\.{1,2}\/)*mirrors\.json["'`]/;

// People who use this repository as a template put their own mirrors into mirrors.json.
describe("mirrors.json at the top of the repository", () => {
  test("is valid for the program and for editors", () => {
    const text = readFileSync("mirrors.json", "utf8");
    expect(() => validateConfig(text, "mirrors.json")).not.toThrow();
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(configJsonSchema());
    expect(isValid(JSON.parse(text)), JSON.stringify(isValid.errors)).toBe(true);
  });

  test("is read by no other test", () => {
    const sources = readdirSync("test", { recursive: true, encoding: "utf8" }).filter((file) =>
      /\.[jt]sx?$/.test(file),
    );
    expect(sources).toContain(own);
    expect(sources.filter((file) => readsTop.test(readFileSync(join("test", file), "utf8")))).toEqual([own]);
  });
});
