import { describe, expect, test } from "vitest";
import { componentSchemas } from "../../../src/outputs/openapi/components.ts";

const schemas = componentSchemas();

/** Returns every value of a document, with its path. */
function walk(value: unknown, path: string): (readonly [string, object])[] {
  if (typeof value !== "object" || value === null) return [];
  return [
    [path, value] as const,
    ...Object.entries(value).flatMap(([key, own]) => walk(own, `${path}.${key}`)),
  ];
}

const all = Object.entries(schemas).flatMap(([name, schema]) => walk(schema, name));

describe("a schema of the OpenAPI document", () => {
  test("has descriptions without a space at their ends", () => {
    const texts = all.flatMap(([path, one]) =>
      "description" in one && typeof one.description === "string" ? [`${path}: ${one.description}`] : [],
    );
    expect(texts.length).toBeGreaterThan(50);
    expect(texts.filter((text) => !/^\S+: \S/.test(text) || / $/.test(text))).toEqual([]);
  });

  test("is open: no list of texts is closed, and no object", () => {
    for (const [path, one] of all) {
      if ("enum" in one && Array.isArray(one.enum)) expect(one.enum.every(Number.isInteger), path).toBe(true);
      expect(one, path).not.toHaveProperty("additionalProperties", false);
    }
  });

  test("has none of zod's bounds of integers and patterns of formats, and is identified by its name alone", () => {
    for (const [path, one] of all) {
      expect(one, path).not.toHaveProperty("maximum", Number.MAX_SAFE_INTEGER);
      expect(one, path).not.toHaveProperty("minimum", Number.MIN_SAFE_INTEGER);
      if ("format" in one) expect(one, path).not.toHaveProperty("pattern");
    }
    for (const [name, schema] of Object.entries(schemas)) {
      expect(schema, name).not.toHaveProperty("$schema");
      expect(schema, name).not.toHaveProperty("$id");
    }
  });
});
