import type { SiteFile } from "../../../core/base/files/site-file.ts";
import type { Site } from "../../../core/feed/feed.ts";
import type { OpenapiDocument } from "../openapi.ts";
import { pageDocument } from "../../layout/layout.tsx";
import { link, sitePageOf } from "../../layout/page-feed.ts";
import { pageLink, unknownUrl } from "../../layout/parts.tsx";
import { fieldSection, Prose } from "./field-list.tsx";
import { guide } from "./guide.tsx";
import { groupAnchor, operationGroups } from "./operation-list.tsx";

export function renderDocs(site: Site, description: OpenapiDocument): SiteFile[] {
  const page = sitePageOf(site, "/docs/");
  const url = site.url?.replace(/\/$/, "") ?? unknownUrl;
  const content = pageDocument({
    feed: page,
    hasStatuses: false,
    title: "API",
    description: `The documents of ${site.title}, and how to use them.`,
    head: <link rel="stylesheet" href={link(page, "/assets/docs.css")} />,
    children: (
      <div class="docs">
        <header class="docs-head">
          <h1>API</h1>
          {description.info.description.split("\n\n").map((paragraph) => (
            <p>
              <Prose text={paragraph} />
            </p>
          ))}
          <p>
            For programs, {pageLink(page, "/openapi.json", "openapi.json")} describes the same in OpenAPI{" "}
            {description.openapi}, with examples. Tools can generate clients and mocks from it.
          </p>
        </header>
        {contents(description)}
        <div class="docs-body">
          {guide(page, description, url)}
          {operationGroups(page, description)}
          {fieldSection(description)}
        </div>
      </div>
    ),
  });
  return [{ path: "docs/index.html", content }];
}

function contents({ tags }: OpenapiDocument) {
  const sections = [
    ["scripts", "From a script"],
    ["age", "How old the feed is"],
    ["statuses", "What a status means"],
    ...tags.map(({ name }) => [groupAnchor(name), name]),
    ["fields", "Fields"],
  ];
  return (
    <nav class="docs-contents" aria-label="On this page">
      <ul>
        {sections.map(([anchor, title]) => (
          <li>
            <a href={`#${anchor}`}>{title}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
