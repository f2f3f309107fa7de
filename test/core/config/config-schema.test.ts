import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { basePath, configJsonSchema, withSiteUrl } from "../../../src/core/config/config-schema.ts";
import { configFrom, mirrorsJson } from "../../support/mirrors-json.ts";

const node = { id: 1, url: "https://git.example.org/joomla/packages" };

test.each([
  [undefined, ""],
  ["https://example.org", ""],
  ["https://example.org/", ""],
  ["https://example.org/repo", "/repo"],
  ["https://example.org/a/b-c/", "/a/b-c"],
])("a site at %s is mounted at %j, whether the file names its URL or an option", (url, path) => {
  const config = configFrom(mirrorsJson([node]));
  const named = configFrom(mirrorsJson([node], { site: url === undefined ? {} : { url } }));
  expect(basePath(named)).toBe(path);
  expect(withSiteUrl(config, url)).toEqual(named);
});

test("the URL that the file names is kept, and an empty one is none", () => {
  const config = configFrom(mirrorsJson([node]));
  const named = withSiteUrl(config, "https://status.example.org/");
  expect(withSiteUrl(named, "https://octocat.github.io/feed")).toBe(named);
  expect(withSiteUrl(config, "")).toBe(config);
});

describe.each([
  ["mirrors.schema.json", "draft-7", "http://json-schema.org/draft-07/schema#", Ajv],
  ["mirrors.2020-12.schema.json", "draft-2020-12", "https://json-schema.org/draft/2020-12/schema", Ajv2020],
] as const)("public/%s", (file, draft, $schema, Validator) => {
  test("is that of the code; `npx vitest run test/core/config/config-schema.test.ts -u` writes it", async () => {
    await expect(`${JSON.stringify(configJsonSchema(draft), null, 2)}\n`).toMatchFileSnapshot(
      `../../../public/${file}`,
    );
  });

  test("names its draft, and takes and refuses what the program does", () => {
    const schema = configJsonSchema(draft);
    expect(schema).toMatchObject({ $schema });
    const check = new Validator({ strict: false, validateFormats: false }).compile(schema);
    expect(check(mirrorsJson([node], { site: { host: "github-pages" } }))).toBe(true);
    for (const wrong of [
      mirrorsJson([]),
      mirrorsJson([{ ...node, id: 0 }]),
      mirrorsJson([node], {}, { target: "A" }),
      mirrorsJson([{ id: 1, url: "ftp://a" }]),
      mirrorsJson([node], { sytems: 1 }),
    ])
      expect(check(wrong), JSON.stringify(wrong)).toBe(false);
  });
});
