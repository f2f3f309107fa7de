import type { NetworkNode } from "../../config/nodes.ts";
import { nameLength, namePattern } from "../../text/name.ts";
import { errorDocuments } from "../../hosts/contract.ts";
import type { Parameter, Schema } from "./document.ts";
import type { ExampleNames } from "./examples.ts";

/** Any valid name, not only those of the feed: generated clients are used longer than today's names. */
const name: Schema = { type: "string", pattern: namePattern, maxLength: nameLength };

const countryCode: Schema = { type: "string", pattern: "^[a-z]{2}$" };

/** Returns the path parameters of a feed of these nodes by name. */
export function componentParameters(
  nodes: readonly NetworkNode[],
  example: ExampleNames,
): Record<string, Parameter> {
  const country = nodes.find((node) => node.country !== undefined)?.country;
  const described: readonly (readonly [name: string, description: string, Schema, string | number])[] = [
    ["system", "The name of a system.", name, example.system],
    ["project", "The name of a project of the system.", name, example.project],
    ["target", "The name of a target of the project.", name, example.target],
    ...(country === undefined
      ? []
      : [["country", "Two lower-case letters of ISO 3166-1.", countryCode, country.toLowerCase()] as const]),
    ["status", "1 for the online nodes, 0 for the offline nodes.", { type: "integer", enum: [0, 1] }, 1],
    ["name", "The name of an error.", { type: "string", enum: Object.keys(errorDocuments) }, "target"],
  ];
  return Object.fromEntries(
    described.map(([key, description, schema, value]) => [
      key,
      { name: key, in: "path", required: true, description, schema, example: value },
    ]),
  );
}
