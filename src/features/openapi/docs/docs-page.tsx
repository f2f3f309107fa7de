import type { SiteFile } from "../../../core/base/files/site-file.ts";
import type { Site } from "../../../core/feed/feed.ts";
import type { OpenapiDocument } from "../openapi.ts";
import { pageDocument } from "../../layout/layout.tsx";
import { link, sitePageOf } from "../../layout/page-feed.ts";
import { pageLink, unknownUrl } from "../../layout/parts.tsx";
import { fieldSection } from "./field-list.tsx";
import { guide } from "./guide.tsx";
import { groupAnchor, operationGroups, pathNames, sharedResponses } from "./operation-list.tsx";
import { Prose } from "./prose.tsx";

export function renderDocs(site: Site, description: OpenapiDocument): SiteFile[] {
  const page = sitePageOf(site, "/docs/");
  const url = site.url?.replace(/\/$/, "") ?? unknownUrl;
  const documentation = { top: page.top, description, url };
  const content = pageDocument({
    feed: page,
    hasStatuses: false,
    title: "API",
    description: `The documents of ${site.title}, and how to use them.`,
    head: (
      <>
        <link rel="stylesheet" href={link(page, "/assets/docs.css")} />
        <script type="module" src={link(page, "/assets/docs.js")} />
      </>
    ),
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
            {description.openapi}. Tools can generate clients and mocks from it.
          </p>
        </header>
        {contents(description)}
        <div class="docs-body">
          {guide(documentation)}
          {operationGroups(documentation)}
          {pathNames(description)}
          {sharedResponses(description)}
          {fieldSection(description)}
        </div>
      </div>
    ),
  });
  return [{ path: "docs/index.html", content }];
}

function contents({ paths, tags, components }: OpenapiDocument) {
  const operations = Object.values(paths).map(({ get }) => get);
  return (
    <nav class="docs-contents" aria-label="On this page">
      <ul>
        {entry("scripts", "From a script")}
        {entry("age", "How old the feed is")}
        {entry("statuses", "What a status means")}
        {tags.map(({ name }) => {
          const own = operations.filter(({ tags: [tag] }) => tag === name);
          const below = own.map(({ operationId, summary }) => entry(operationId, summary));
          return entry(groupAnchor(name), name, below);
        })}
        {entry("names", "Names in paths")}
        {entry("answers", "Errors and redirects")}
        {entry(
          "fields",
          "Fields",
          Object.keys(components.schemas).map((name) => entry(name, name)),
        )}
      </ul>
    </nav>
  );
}

function entry(anchor: string, text: string, below?: readonly preact.JSX.Element[]) {
  return (
    <li>
      <a href={`#${anchor}`}>{text}</a>
      {below && <ul>{below}</ul>}
    </li>
  );
}
