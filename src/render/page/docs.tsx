import { basePath } from "../../config/base-path.ts";
import type { Config } from "../../config/schema.ts";
import type { SiteFile } from "../../site-file.ts";
import type { OpenapiDocument } from "../openapi/document.ts";
import { Contents } from "./docs-contents.tsx";
import { Errors, Names } from "./docs-errors.tsx";
import { Fields } from "./docs-fields.tsx";
import { Guide } from "./docs-guide.tsx";
import { Operations } from "./docs-operations.tsx";
import { Prose } from "./docs-prose.tsx";
import { pageDocument } from "./layout.tsx";
import { unknownUrl } from "./use.tsx";

/** What the parts of the reference need. */
export interface Documentation {
  readonly description: OpenapiDocument;
  /** The path the site is mounted at, as `basePath` gives it. */
  readonly base: string;
  /** Where the lines of the examples ask: the url of the feed, without a slash at its end. */
  readonly url: string;
}

/** The reference for people, made from the OpenAPI document of the feed alone: `docs/index.html`. */
export function renderDocs(config: Config, description: OpenapiDocument): SiteFile[] {
  const base = basePath(config);
  const isKnown = config.site.url !== undefined;
  const [server] = description.servers;
  const reference = { description, base, url: isKnown ? server.url : unknownUrl };
  const content = pageDocument({
    site: config.site.title,
    title: "Documents",
    description: `What each document of ${config.site.title} holds, and how to use it.`,
    base,
    path: "/docs/",
    children: (
      <>
        <link rel="stylesheet" href={`${base}/assets/docs.css`} />
        <div class="docs">
          <header class="docs-head">
            <h1>Documents</h1>
            {description.info.description.split("\n\n").map((paragraph) => (
              <p>
                <Prose text={paragraph} />
              </p>
            ))}
            <p>
              The same for programs: <a href={`${base}/openapi.json`}>openapi.json</a>, an OpenAPI{" "}
              {description.openapi} document from which clients and mocks can be generated.
            </p>
          </header>
          <Contents description={description} />
          <div class="docs-body">
            <Guide {...reference} unknownUrl={isKnown ? undefined : unknownUrl} />
            <Operations {...reference} />
            <Names {...reference} />
            <Errors {...reference} />
            <Fields {...reference} />
          </div>
        </div>
      </>
    ),
  });
  return [{ path: "docs/index.html", content }];
}
