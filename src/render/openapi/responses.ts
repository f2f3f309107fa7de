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

/** The levels of the hierarchy in a path, from the left. */
export type PathLevel = "system" | "project" | "target";

const levels: readonly PathLevel[] = ["system", "project", "target"];

type Responses = Readonly<Record<string, Reference>>;

/** Returns the response headers that depend on the host, by name. */
export function componentHeaders({ cacheControl: cached, methodNotAllowed, slashless }: Capabilities) {
  return {
    AccessControlAllowOrigin: {
      description: "Any web page may read the response.",
      schema: { type: "string", const: "*" },
    },
    ...(cached === "full" && {
      CacheControl: {
        description: `How long the response may be cached: \`${cacheControl}\` if the host uses the configuration from mirrorfeed.`,
        schema: { type: "string", examples: [cacheControl] },
      },
    }),
    ...(methodNotAllowed === "full" && {
      Allow: { description: "The allowed methods.", schema: { type: "string", const: "GET, HEAD" } },
    }),
    ...(slashless !== "direct" && {
      Location: {
        description: "The same path with a slash.",
        schema: { type: "string", format: "uri-reference" },
      },
    }),
  } satisfies Record<string, Header>;
}

/** Returns the responses that operations share, by name: errors and redirects. They depend on the host. */
export function componentResponses(capabilities: Capabilities): Record<string, Response> {
  const { forbidden, badRequest, methodNotAllowed, slashless } = capabilities;
  const error = (description: string, names: readonly ErrorName[], headers: Responses = {}): Response => ({
    description,
    headers: { ...sharedHeaders(capabilities), ...headers },
    content: errorContent(names, capabilities),
  });
  const unknown = levels.map((level, depth) => {
    const notFoundResponses = levels.slice(0, depth + 1);
    return [unknownResponses[level], error(unknownSentence(notFoundResponses), notFoundResponses)] as const;
  });
  return {
    ...(forbidden === "full" && Object.fromEntries(unknown)),
    ...(badRequest === "full" && { InvalidStatus: error("The status is neither 0 nor 1.", ["status"]) }),
    NotFound: error("Nothing exists at this path.", ["not-found"]),
    Refused: {
      description: "An error response of the host itself, such as before the first publication.",
    },
    ...(methodNotAllowed === "full" && {
      MethodNotAllowed: error("The method is neither GET nor HEAD.", ["method"], {
        Allow: componentReference("headers", "Allow"),
      }),
    }),
    ...(methodNotAllowed === "own-body" && {
      MethodNotAllowed: {
        description: "The method is neither GET nor HEAD. The body is the host's own.",
      },
    }),
    ...(slashless !== "direct" && {
      WithSlash: {
        description: "The host redirects to the path with a slash at its end.",
        headers: { Location: componentReference("headers", "Location") },
      },
    }),
  };
}

/** Returns the response with a document, and an example of it. */
export function documentResponse(
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

/** Returns the error responses of a path of the contract, by HTTP status. `names` are its path parameters. */
export function contractErrorResponses(
  { forbidden, badRequest, methodNotAllowed }: Capabilities,
  names: readonly string[],
): Responses {
  const level = levels.findLast((one) => names.includes(one));
  const unknown = level !== undefined && (forbidden === "full" ? { 403: unknownResponses[level] } : notFound);
  const invalid = names.includes("status") && (badRequest === "full" ? { 400: "InvalidStatus" } : notFound);
  const shared: Readonly<Record<string, string>> = {
    ...invalid,
    ...unknown,
    ...(methodNotAllowed !== "other" && { 405: "MethodNotAllowed" }),
  };
  if (Object.keys(shared).length === 0) return hostErrorResponses();
  return Object.fromEntries(Object.entries(shared).map(([code, name]) => [code, response(name)]));
}

/** Returns the redirect of a document path without a slash at its end, if the host needs one. */
export function redirectResponses({ slashless }: Capabilities): Responses {
  return slashless === "direct" ? {} : { 301: response("WithSlash") };
}

/** Returns the response with a second media type, for hosts that send JSON as HTML without a slash at the end of the path. */
export function withHtmlForm(found: Response): Response {
  const schema: Schema = {
    type: "string",
    description: "The same JSON for the path without a slash. `<`, `>` and `&` are escaped.",
  };
  return { ...found, content: { ...found.content, "text/html": { schema } } };
}

/** Returns the error responses of a path whose document always exists: only the host itself can refuse it. */
export function hostErrorResponses(): Responses {
  return { "4XX": response("Refused") };
}

/** Returns the error responses of a path with parameters that is not part of the contract. */
export function missing(): Responses {
  return { 404: response(notFound[404]) };
}

const notFound = { 404: "NotFound" } as const;

const unknownResponses = {
  system: "UnknownSystem",
  project: "UnknownProject",
  target: "UnknownTarget",
} as const;

const alternatives = new Intl.ListFormat("en-GB", { type: "disjunction" });

function unknownSentence(missing: readonly PathLevel[]): string {
  if (missing.length === 1) return "The feed has no such system.";
  return `The feed has no such ${alternatives.format(missing)}. The error names the first unknown one.`;
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
    : { type: "string", description: "The error as JSON, with the media type of HTML." };
  return { [isJson ? "application/json" : "text/html"]: { schema, examples: Object.fromEntries(examples) } };
}

function response(name: string): Reference {
  return componentReference("responses", name);
}
