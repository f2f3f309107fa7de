import { cacheControl, errorDocuments, jsonText, networkRoot } from "../../contract/contract.ts";
import type { Capabilities } from "../../hosts/host.ts";
import {
  componentReference,
  type Content,
  type Operation,
  type Reference,
  type Response,
  type Schema,
} from "./document.ts";
import { schemaReference } from "./schemas.ts";

/** The response headers, by the names of their components: those of HTTP without hyphens. */
export const componentHeaders: Readonly<Record<string, { description: string; schema: Schema }>> = {
  AccessControlAllowOrigin: {
    description: "Any web page may read the response.",
    schema: { type: "string", const: "*" },
  },
  CacheControl: {
    description: `How long the response may be cached: \`${cacheControl}\` if the host uses the configuration from mirrorfeed.`,
    schema: { type: "string", examples: [cacheControl] },
  },
  Allow: { description: "The allowed methods.", schema: { type: "string", const: "GET, HEAD" } },
  Location: {
    description: "The same path with a slash.",
    schema: { type: "string", format: "uri-reference" },
  },
};

/** Returns the responses that operations share, by name: redirects and errors. */
export function componentResponses(capabilities: Capabilities): Record<string, Response> {
  const isJson = capabilities.jsonTypes === "all";
  const type = isJson ? "application/json" : "text/html";
  const htmlSchema: Schema = {
    type: "string",
    description: "The error as JSON, with the media type of HTML.",
  };
  const schema = isJson ? schemaReference("Error") : htmlSchema;
  const error = (status: number, description: string, ...headers: string[]): Response => {
    const examples = Object.entries(errorDocuments)
      .filter(([, { code }]) => code === status)
      .map(([name, body]) => [name, { value: isJson ? body : jsonText(body) }] as const);
    return {
      description,
      headers: headerReferences(...documentHeaders(capabilities), ...headers),
      content: { [type]: { schema, examples: Object.fromEntries(examples) } },
    };
  };
  return {
    WithSlash: {
      description: "The host redirects to the path with a slash at its end.",
      headers: headerReferences("Location"),
    },
    InvalidStatus: error(400, "The status is neither 0 nor 1."),
    UnknownName: error(
      403,
      "The feed has no such system, project or target. The error names the first unknown one.",
    ),
    NotFound: error(404, "Nothing exists at this path."),
    MethodNotAllowed:
      capabilities.methodNotAllowed === "full"
        ? error(405, "The method is neither GET nor HEAD.", "Allow")
        : { description: "The method is neither GET nor HEAD. The body is the host's own." },
    Refused: { description: "An error of the host itself, such as before the first publication." },
  };
}

/** Returns the responses of a path by status: the document, its redirect and errors. */
export function responsesOf(
  path: string,
  description: string,
  content: Readonly<Record<string, Content>>,
  capabilities: Capabilities,
): Operation["responses"] {
  const { forbidden, badRequest, methodNotAllowed, slashless } = capabilities;
  const isContract = path.startsWith(`/${networkRoot}`);
  const hasNames = path.includes("{");
  const isFile = /\.\w+$/.test(path);
  const isPage = isContract && slashless === "page";
  const missing = { 404: "NotFound" };
  const names = {
    ...(!isFile && !isPage && slashless !== "direct" && { 301: "WithSlash" }),
    ...(hasNames && (isContract && forbidden === "full" ? { 403: "UnknownName" } : missing)),
    ...(path.includes("{status}") && (badRequest === "full" ? { 400: "InvalidStatus" } : missing)),
    ...(isContract && methodNotAllowed !== "other" && { 405: "MethodNotAllowed" }),
    // Only the host itself can refuse a document that always exists.
    ...(!hasNames && (!isContract || methodNotAllowed === "other") && { "4XX": "Refused" }),
  };
  return {
    200: {
      description,
      headers: headerReferences(...documentHeaders(capabilities)),
      content: { ...content, ...(isPage && { "text/html": { schema: escapedJson } }) },
    },
    ...Object.fromEntries(
      Object.entries(names).map(([status, name]) => [status, componentReference("responses", name)]),
    ),
  };
}

const escapedJson: Schema = {
  type: "string",
  description: "The same JSON for the path without a slash. `<`, `>` and `&` are escaped.",
};

function documentHeaders({ cacheControl: cached }: Capabilities): string[] {
  return ["Access-Control-Allow-Origin", ...(cached === "full" ? ["Cache-Control"] : [])];
}

function headerReferences(...names: string[]): Record<string, Reference> {
  return Object.fromEntries(
    names.map((name) => [name, componentReference("headers", name.replaceAll("-", ""))]),
  );
}
