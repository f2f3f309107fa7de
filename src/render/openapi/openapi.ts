import { listNodes } from "../../config/nodes.ts";
import type { Config } from "../../config/schema.ts";
import { jsonText } from "../../hosts/contract.ts";
import type { Capabilities } from "../../hosts/host.ts";
import { capabilitiesOf } from "../../hosts/registry.ts";
import type { SiteFile } from "../../files/site-file.ts";
import { makeExamples } from "./examples.ts";
import { componentParameters } from "./parameters.ts";
import { paths } from "./paths.ts";
import { operationGroups } from "./operation-templates.ts";
import { componentHeaders, componentResponses } from "./responses.ts";
import { componentSchemas } from "./schemas.ts";

/** The program that generates the feed. */
export interface ProductInfo {
  readonly version: string;
  readonly homepage?: string | undefined;
}

/** The description of a feed as `openapi.json` has it. */
export type OpenapiDocument = ReturnType<typeof describeFeed>;

/** Returns `openapi.json`, the description of a feed for programs. */
export function renderOpenapi(description: OpenapiDocument): SiteFile[] {
  return [{ path: "openapi.json", content: jsonText(description) }];
}

/**
 * Returns the OpenAPI document of a feed, which depends on the capabilities of its host. It changes only with the configuration
 * and the program, and its size does not grow with the feed.
 */
export function describeFeed(config: Config, { version, homepage }: ProductInfo) {
  const capabilities = capabilitiesOf(config.site);
  const examples = makeExamples(config);
  const nodes = listNodes(config);
  return {
    openapi: "3.1.1",
    info: {
      title: config.site.title,
      summary: "Which mirrors are reachable: a status API of static files.",
      description: [...generalSentences, ...hostSentences(capabilities)].join("\n\n"),
      license: { name: "MIT", identifier: "MIT" },
      version,
    },
    ...(homepage === undefined ? {} : { externalDocs: { description: "mirrorfeed", url: homepage } }),
    servers: [{ url: serverUrl(config), description: "The feed." }],
    security: [],
    tags: operationGroups.map(({ name, description }) => ({ name, description })),
    paths: paths(nodes, capabilities, examples),
    components: {
      schemas: componentSchemas(),
      parameters: componentParameters(nodes, examples.names),
      headers: componentHeaders(capabilities),
      responses: componentResponses(capabilities),
    },
  };
}

/**
 * Returns the URL of the feed, without a slash at its end. If it is unknown, returns a URL relative to `openapi.json`
 * (https://spec.openapis.org/oas/v3.1.1#server-object).
 */
function serverUrl({ site }: Config): string {
  return site.url === undefined ? "." : site.url.replace(/\/$/, "");
}

const generalSentences = [
  "mirrorfeed probes every mirror of the feed at an interval, and writes the results as files for any static host. There is no authentication and there are no parameters except those in the path. Any web page may read the responses.",
  "The only methods are `GET` and `HEAD`. An error is JSON, with its message in `error` and its HTTP status in `code`.",
];

/** Returns the differences of the host from the contract. */
function hostSentences({ forbidden, badRequest, jsonTypes, slashless }: Capabilities): string[] {
  return [
    slashlessSentences[slashless],
    ...(forbidden === "not-found" || badRequest === "not-found"
      ? [
          "The contract answers an unknown name with 403 and an invalid status with 400. This host cannot: it answers 404" +
            (jsonTypes === "documents" ? ", and sends the JSON of errors as `text/html`." : "."),
        ]
      : []),
  ];
}

const slashlessSentences: Readonly<Record<Capabilities["slashless"], string>> = {
  direct: "Every path works with and without a slash at its end.",
  redirect: "Every path works with a slash at its end. Without it the host redirects to the path with one.",
  page: "Every path works with a slash at its end. Without it, a path of the contract returns the same JSON as `text/html`, and any other path redirects.",
};
