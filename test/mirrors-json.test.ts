import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { expect, test } from "vitest";
import { configJsonSchema } from "../src/core/config/config-schema.ts";
import { validateConfig } from "../src/core/config/validate.ts";

// People who use this repository as a template put their own mirrors into mirrors.json, so only this test depends on its content.
test("mirrors.json at the top of the repository is valid for the program and for editors", () => {
  const text = readFileSync("mirrors.json", "utf8");
  expect(() => validateConfig(text, "mirrors.json")).not.toThrow();
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(configJsonSchema());
  expect(isValid(JSON.parse(text)), JSON.stringify(isValid.errors)).toBe(true);
});
