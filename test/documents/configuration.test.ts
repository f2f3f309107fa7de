import { expect, test } from "vitest";
import { configSchema } from "../../src/config/schema.ts";
import { loadDocument } from "../support/document.ts";

const { text } = loadDocument(".github/docs/configuration.md");

test("its defaults are those of the schema", () => {
  const network = [{ id: 1, url: "https://git.example.org/a/b" }];
  const systems = [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }];
  const { probe } = configSchema.parse({ systems });
  const rows = [...text.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\| ([^|]+?) +\|/gm)];
  const written = rows.flatMap(([, keys = "", values = ""]) =>
    keys
      .split(", ")
      .map(
        (key, index) => [key.replaceAll("`", ""), values.split(", ")[index]?.replaceAll("`", "")] as const,
      ),
  );
  const elsewhere = ["ca", "control", "downAfter", "upAfter"];
  for (const [key, value] of Object.entries(probe).filter(([name]) => !elsewhere.includes(name)))
    expect(written).toContainEqual([key, JSON.stringify(value).replaceAll(`"`, "")]);
});
