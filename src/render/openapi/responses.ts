import { cacheControl, errorDocuments, type ErrorName, jsonText } from "../../hosts/contract.ts";
import type { Capabilities } from "../../hosts/host.ts";
import {
  componentReference,
  type Content,
  type Header,
  type Reference,
  type Response,
  type Schema,
} from "./document.ts";
import { schemaReference } from "./schemas.ts";

/** The levels of the hierarchy that a path names, from the left. */
export type Level = "system" | "project" | "target";

const levels: readonly Level[] = ["system", "project", "target"];

type Responses = Readonly<Record<string, Reference>>;

/** The headers that answers carry on a host. */
export function componentHeaders({ cacheControl: cached, methodNotAllowed, slashless }: Capabilities) {
  return {
    AccessControlAllowOrigin: {
      description: "Any page of the web may read the answer.",
      schema: { type: "string", const: "*" },
    },
    ...(cached === "full" && {
      CacheControl: {
        description: `How long the answer may be kept: \`${cacheControl}\` where the host is set up as it is told to.`,
        schema: { type: "string", examples: [cacheControl] },
      },
    }),
    ...(methodNotAllowed === "full" && {
      Allow: { description: "The methods there are.", schema: { type: "string", const: "GET, HEAD" } },
    }),
    ...(slashless !== "direct" && {
      Location: {
        description: "The same path with its slash.",
        schema: { type: "string", format: "uri-reference" },
      },
    }),
  } satisfies Record<string, Header>;
}

/** The answers that operations share on a host, by name: its errors and its redirects. */
export function componentResponses(capabilities: Capabilities): Record<string, Response> {
  const { forbidden, badRequest, methodNotAllowed, slashless } = capabilities;
  const error = (description: string, names: readonly ErrorName[], headers: Responses = {}): Response => ({
    description,
    headers: { ...(capabilities.cors === "all" ? sharedHeaders(capabilities) : {}), ...headers },
    content: errorContent(names, capabilities),
  });
  const unknown = levels.map((level, depth) => {
    const missing = levels.slice(0, depth + 1);
    return [unknownNames[level], error(unknownSentence(missing), missing)] as const;
  });
  return {
    ...(forbidden === "full" && Object.fromEntries(unknown)),
    ...(badRequest === "full" && { InvalidStatus: error("The status is neither 0 nor 1.", ["status"]) }),
    NotFound: error("There is nothing at this path.", ["not-found"]),
    Refused: {
      description: "The host refuses the request in its own words, such as before the first publication.",
    },
    ...(methodNotAllowed === "full" && {
      MethodNotAllowed: error("It was asked with another method than GET and HEAD.", ["method"], {
        Allow: componentReference("headers", "Allow"),
      }),
    }),
    ...(methodNotAllowed === "own-body" && {
      MethodNotAllowed: {
        description: "It was asked with another method than GET and HEAD; the host says so in its own words.",
      },
    }),
    ...(slashless !== "direct" && {
      WithSlash: {
        description: "The host wants the slash at the end of the path, and leads there.",
        headers: { Location: componentReference("headers", "Location") },
      },
    }),
  };
}

/** A document that is there, with an example of it. */
export function found(
  capabilities: Capabilities,
  type: string,
  schema: Schema,
  description: string,
  example?: unknown,
): Response {
  return {
    description,
    headers: sharedHeaders(capabilities),
    content: {
      [type]: { schema, ...(example !== undefined && { examples: { example: { value: example } } }) },
    },
  };
}

/** What a path of the contract answers besides its document, by the names in it. */
export function contractErrors(
  { forbidden, badRequest, methodNotAllowed }: Capabilities,
  names: readonly string[],
): Responses {
  const level = levels.findLast((one) => names.includes(one));
  const unknown = level !== undefined && (forbidden === "full" ? { 403: unknownNames[level] } : notFound);
  const invalid = names.includes("status") && (badRequest === "full" ? { 400: "InvalidStatus" } : notFound);
  const shared: Readonly<Record<string, string>> = {
    ...invalid,
    ...unknown,
    ...(methodNotAllowed !== "other" && { 405: "MethodNotAllowed" }),
  };
  if (Object.keys(shared).length === 0) return refused();
  return Object.fromEntries(Object.entries(shared).map(([code, name]) => [code, response(name)]));
}

/** What a path of a document answers without a slash at its end, on hosts that want one. */
export function redirects({ slashless }: Capabilities): Responses {
  return slashless === "direct" ? {} : { 301: response("WithSlash") };
}

/** The same answer where a path without a slash at its end answers as a page. */
export function orAsPage(found: Response): Response {
  const schema: Schema = {
    type: "string",
    description: "The same JSON for the path without its slash; `<`, `>` and `&` are escapes in it.",
  };
  return { ...found, content: { ...found.content, "text/html": { schema } } };
}

/** What a path answers whose document is always there: only its host has an error for it. */
export function refused(): Responses {
  return { "4XX": response("Refused") };
}

/** What every other path with a name in it answers besides its document. */
export function missing(): Responses {
  return { 404: response(notFound[404]) };
}

const notFound = { 404: "NotFound" } as const;

const unknownNames = { system: "UnknownSystem", project: "UnknownProject", target: "UnknownTarget" } as const;

function unknownSentence(missing: readonly Level[]): string {
  if (missing.length === 1) return "The feed has no such system.";
  return `The feed has no such ${missing.slice(0, -1).join(", ")} or ${missing.at(-1) ?? ""}: the first from the left decides.`;
}

function sharedHeaders({ cacheControl: cached }: Capabilities): Responses {
  return {
    "Access-Control-Allow-Origin": componentReference("headers", "AccessControlAllowOrigin"),
    ...(cached === "full" && { "Cache-Control": componentReference("headers", "CacheControl") }),
  };
}

function errorContent(names: readonly ErrorName[], { jsonTypes }: Capabilities): Record<string, Content> {
  const isJson = jsonTypes === "all";
  const examples = names.map((name) => {
    const body = errorDocuments[name];
    return [name, { value: isJson ? body : jsonText(body) }] as const;
  });
  const schema: Schema = isJson
    ? schemaReference("Error")
    : { type: "string", description: "The error as JSON, under the type of a page." };
  return { [isJson ? "application/json" : "text/html"]: { schema, examples: Object.fromEntries(examples) } };
}

function response(name: string): Reference {
  return componentReference("responses", name);
}
