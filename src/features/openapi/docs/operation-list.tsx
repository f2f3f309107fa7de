import { componentName } from "../components.ts";
import type { OpenapiDocument, Operation } from "../openapi.ts";
import { link, type SitePage } from "../../layout/page-feed.ts";
import { Prose, typeOf } from "./field-list.tsx";

export function groupAnchor(tag: string): string {
  return tag.toLowerCase().replaceAll(" ", "-");
}

export function operationGroups(page: SitePage, description: OpenapiDocument) {
  const operations = Object.entries(description.paths);
  return description.tags.map((tag) => (
    <section aria-labelledby={groupAnchor(tag.name)}>
      <h2 id={groupAnchor(tag.name)}>{tag.name}</h2>
      <p>
        <Prose text={tag.description} />
      </p>
      {operations
        .filter(([, { get }]) => get.tags.includes(tag.name))
        .map(([path, { get }]) => operationArticle(page, description, path, get))}
    </section>
  ));
}

function operationArticle(
  page: SitePage,
  { components }: OpenapiDocument,
  path: string,
  operation: Operation,
) {
  const { operationId, summary, description, responses } = operation;
  const example = examplePath(path, operation, components.parameters);
  return (
    <article class="docs-operation" aria-labelledby={operationId}>
      <h3 id={operationId}>
        <a href={`#${operationId}`}>{summary}</a>
      </h3>
      <p class="docs-path">
        <b>GET</b>{" "}
        <code>
          {path.split(/(\{\w+\})/).map((part, index) => (index % 2 === 1 ? <var>{part}</var> : part))}
        </code>{" "}
        <a href={link(page, example)} aria-label={`Open ${example}`}>
          Open
        </a>
      </p>
      {description !== undefined && (
        <p>
          <Prose text={description} />
        </p>
      )}
      <dl class="docs-answers">
        {Object.entries(responses).map(([code, response]) => (
          <div>
            <dt>
              <code>{code}</code>
            </dt>
            {"$ref" in response ? (
              <dd>{components.responses[componentName(response.$ref)]?.description}</dd>
            ) : (
              Object.entries(response.content ?? {}).map(([type, { schema }]) => (
                <dd>
                  {schema.description === undefined ? typeOf(schema) : <Prose text={schema.description} />},{" "}
                  <code>{type}</code>
                </dd>
              ))
            )}
          </div>
        ))}
      </dl>
    </article>
  );
}

/** Adds a slash at the end if the host would otherwise redirect, or send the JSON as a page. */
function examplePath(
  path: string,
  { parameters = [], responses }: Operation,
  shared: OpenapiDocument["components"]["parameters"],
): string {
  const all = parameters.map((one) => ("$ref" in one ? shared[componentName(one.$ref)] : one));
  const filled = path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => `${all.find((parameter) => parameter?.name === name)?.example}`,
  );
  const { 200: ok } = responses;
  const isPage = ok !== undefined && "content" in ok && "text/html" in (ok.content ?? {});
  return `${filled}${"301" in responses || isPage ? "/" : ""}`;
}
