import { expect, test } from "vitest";
import { listNodes } from "../../../src/config/nodes.ts";
import { configSchema } from "../../../src/config/schema.ts";
import { componentParameters } from "../../../src/render/openapi/parameters.ts";

const example = { system: "s", project: "p", target: "t", id: 1 };

test.each<[name: string, countries: (string | undefined)[], expected: string | undefined]>([
  ["is that of the first node that has one", [undefined, "DE", "FR"], "de"],
  ["is left out if no node has one", [undefined], undefined],
])("the country of examples %s", (_, countries, expected) => {
  const network = countries.map((country, index) => {
    const node = { id: index + 1, url: `https://mirror${index}.example.org/` };
    return country === undefined ? node : { ...node, country };
  });
  const config = configSchema.parse({
    systems: [{ system: "s", projects: [{ project: "p", targets: [{ target: "t", network }] }] }],
  });
  expect(componentParameters([...listNodes(config)], example)["country"]?.example).toBe(expected);
});
