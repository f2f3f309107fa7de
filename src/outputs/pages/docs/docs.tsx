import type { Config } from "../../../config/schema.ts";
import type { SiteFile } from "../../../base/files/site-file.ts";
import type { OpenapiDocument } from "../../openapi/openapi.ts";
import { contents } from "./contents.tsx";
import { pathNames, sharedResponses } from "./errors.tsx";
import { fieldSection } from "./fields.tsx";
import { guide } from "./guide.tsx";
import { operationGroups } from "./operations.tsx";
import { Prose } from "./prose.tsx";
import { pageDocument } from "../layout.tsx";
import { wordingOf } from "../timestamp.tsx";
import { link, linksFrom } from "../links.ts";
import { unknownUrl } from "../copy-lines.tsx";

/** Returns `docs/index.html`, the reference for people, rendered from the OpenAPI document of the feed. */
export function renderDocs(config: Config, description: OpenapiDocument): SiteFile[] {
  const path = "/docs/";
  const wording = wordingOf({ language: "en", timezone: "UTC" });
  const feed = { site: config.site, path, ...linksFrom(path), ...wording };
  const url = config.site.url?.replace(/\/$/, "");
  const isUrlKnown = url !== undefined;
  const reference = { top: feed.top, description, url: url ?? unknownUrl, isUrlKnown };
  const content = pageDocument({
    feed,
    title: "API",
    description: `The documents of ${config.site.title}, and how to use them.`,
    head: (
      <>
        <link rel="stylesheet" href={link(feed, "/assets/docs.css")} />
        <script type="module" src={link(feed, "/assets/docs.js")} />
      </>
    ),
    children: (
      <>
        <div class="docs">
          <header class="docs-head">
            <h1>API</h1>
            {description.info.description.split("\n\n").map((paragraph) => (
              <p>
                <Prose text={paragraph} />
              </p>
            ))}
            <p>
              For programs: <a href={link(feed, "/openapi.json")}>openapi.json</a>, an OpenAPI{" "}
              {description.openapi} document with the same content. Tools generate clients and mocks from it.
            </p>
          </header>
          {contents(description)}
          <div class="docs-body">
            {guide(reference)}
            {operationGroups(reference)}
            {pathNames(reference)}
            {sharedResponses(reference)}
            {fieldSection(reference)}
          </div>
        </div>
      </>
    ),
  });
  return [{ path: "docs/index.html", content }];
}
