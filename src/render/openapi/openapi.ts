import type { Config } from "../../config/schema.ts";
import { jsonText } from "../../hosts/contract.ts";
import type { Capabilities } from "../../hosts/host.ts";
import { capabilitiesOf } from "../../hosts/registry.ts";
import type { SiteFile } from "../../files/site-file.ts";
import type { OpenapiDocument } from "./document.ts";
import { makeExamples } from "./examples.ts";
import { componentParameters } from "./parameters.ts";
import { paths } from "./paths.ts";
import { tags } from "./plans.ts";
import { componentHeaders, componentResponses } from "./responses.ts";
import { componentSchemas } from "./schemas.ts";

/** What made the feed: the version and, if it has one, the homepage of this program. */
export interface Maker {
  readonly version: string;
  readonly homepage?: string | undefined;
}

/** The description of a feed for programs: `openapi.json`. */
export function renderOpenapi(description: OpenapiDocument): SiteFile[] {
  return [{ path: "openapi.json", content: jsonText(description) }];
}

/**
 * The OpenAPI document of a feed, by what the host it is published on can do. It is the same until the configuration
 * or the program changes, and its size is bounded however large the feed is.
 */
export function describeFeed(config: Config, { version, homepage }: Maker): OpenapiDocument {
  const capabilities = capabilitiesOf(config.site);
  const examples = makeExamples(config);
  return {
    openapi: "3.1.1",
    info: {
      title: config.site.title,
      summary: "Which mirrors are reachable: a status API made of files.",
      description: [...generalSentences, ...hostSentences(capabilities)].join("\n\n"),
      license: { name: "MIT", identifier: "MIT" },
      version,
    },
    ...(homepage === undefined ? {} : { externalDocs: { description: "mirrorfeed", url: homepage } }),
    servers: [{ url: serverUrl(config), description: "The feed." }],
    security: [],
    tags,
    paths: paths(capabilities, examples),
    components: {
      schemas: componentSchemas(),
      parameters: componentParameters(examples.names),
      headers: componentHeaders(capabilities),
      responses: componentResponses(capabilities),
    },
  };
}

/**
 * Returns where the feed is, without a slash at its end. If that is not known, it is the folder that the description is
 * served from (https://spec.openapis.org/oas/v3.1.1#server-object).
 */
function serverUrl({ site }: Config): string {
  return site.url === undefined ? "." : site.url.replace(/\/$/, "");
}

const generalSentences = [
  "Every mirror of the feed is probed again and again; what came of it is written as files that any static host serves. Nothing has to be logged in to, there are no parameters but those in a path, and every answer may be read from any web page.",
  "`GET` and `HEAD` are all there is. An error is JSON with its sentence in `error` and its HTTP status in `code`.",
];

/** What a reader has to know of the host, where it does not keep the whole contract. */
function hostSentences({ forbidden, badRequest, jsonTypes, slashless }: Capabilities): string[] {
  return [
    slashlessSentences[slashless],
    ...(forbidden === "not-found" || badRequest === "not-found"
      ? [
          "The contract answers an unknown name with 403 and a status that is none with 400. This host cannot: it answers 404" +
            (jsonTypes === "documents" ? ", and sends the JSON of errors as `text/html`." : "."),
        ]
      : []),
  ];
}

const slashlessSentences: Readonly<Record<Capabilities["slashless"], string>> = {
  direct: "Every path answers with and without the slash at its end.",
  redirect: "Every path answers with the slash at its end; without it the host redirects there.",
  page: "Every path answers with the slash at its end. Without it a path of the contract answers with the same JSON as `text/html`, and from any other path the host redirects.",
};
